// `bench memory`: what a load of one core from the memory of one node costs: by the size of what is loaded from, each
// cache, then memory (latency); while other cores read from the same memory, at increasing rates (loaded); while others
// are under way (overlap).
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "arch/machine.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/chase.hpp"
#include "bench/machine/measured_memory.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/overlap.hpp"
#include "bench/machine/word_stream.hpp"
#include "bench/machine/working_sets.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

// The core and the node that options choose. Errors: no such one.
struct MemoryPlace {
    CoreId core;
    NodeId node;

    static Result<MemoryPlace> choose(MemoryOptions const& options) {
        topology::Topology const& topology = system_topology();
        // A number is the core's id; of random it is how many.
        std::size_t core = 0;
        auto const typed = options.cores.requests();
        if (typed.size() == 1 && typed[0].kind == topology::CoreSetRequest::Kind::Counts) {
            auto const ids = typed[0].numbers.values();
            if (ids.size() > 1) return Error::of("--cores: expected one core, got {}", ids.size());
            core = ids[0];
        } else if (!typed.empty()) {
            auto const sets = MXK_TRY(CoreSetList::create(options.cores));
            if (sets.size() > 1 || sets.cores(0).size() > 1)
                return Error::of("--cores: expected one core, got {}", sets.size() * sets.cores(0).size());
            core = index(sets.cores(0)[0]);
        }
        if (core >= topology.cores.size())
            return Error::of("--cores: expected a core from 0 to {}, those of this machine, got {}",
                             topology.cores.size() - 1, core);
        std::size_t const node = options.node ? *options.node : index(memory_node_of(core_id(core)));
        if (node >= topology.nodes.size())
            return Error::of("--node: expected a node from 0 to {}, those of this machine, got {}",
                             topology.nodes.size() - 1, node);
        return MemoryPlace{core_id(core), node_id(node)};
    }
    void write(JsonWriter& json) const {
        json.field("core", core);
        json.field("memory_node", node);
    }
};

// A configuration is a working set.
class LatencyExperiment final : public Experiment {
  public:
    explicit LatencyExperiment(MemoryOptions const& options)
        : options_(options) {}
    Result<void> set_up() {
        place_ = MXK_TRY(MemoryPlace::choose(options_));
        wanted_ = options_.max.value_or(arch::describe_machine().is_emulated() ? emulated_latency_bytes : GiB);
        // Small sets lie in the same large page as larger ones.
        std::size_t const room = std::max(wanted_, NodeArray<std::byte>::large_page_bytes);
        memory_ = MXK_TRY(MeasuredMemory::create_up_to(room, place_.node));
        sets_ = WorkingSets::up_to(std::min(wanted_, memory_.bytes()));
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return sets_.bytes().size(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        ChaseLayout const layout{memory_.start(), sets_.bytes()[configuration] / cache_line_bytes};
        samples[0] = MXK_TRY(measure_chase(place_.core, layout, options_.loads, progress));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "the chain did not visit each line once"; }

    void print_head(TextSink& out) const override {
        std::size_t const largest = sets_.bytes().back();
        format(out,
               "memory latency: loads of core {}, each waits for the one before, memory of node {}; {} runs per row\n",
               place_.core, place_.node, options_.repeat.text().view());
        format(out, "pages: {}\n", arch::describe_machine().pages);
        if (memory_.bytes() < wanted_)
            format(out, "sets up to {}: node {} has no {} of free memory in one piece\n", byte_text(largest).view(),
                   place_.node, byte_text(wanted_).view());
        print_emulated(out, largest, options_.max.has_value());
    }
    void print_label_heading(TextSink& out) const override { format(out, "{:>12} {:<7}", "working set", ""); }
    void print_label(TextSink& out, Row const& row) const override {
        FixedText<8> level;
        if (!level_of_row(row).empty()) format(level, "~{}", level_of_row(row));
        format(out, "{:>12} {:<7}", byte_text(bytes_of(row)).view(), level.view());
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "latency, {}", byte_text(bytes_of(row)).view());
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        json.field("measure", "latency");
        place_.write(json);
        json.field("bytes", bytes_of(row));
        if (!level_of_row(row).empty()) json.field("level", level_of_row(row));
    }

  private:
    [[nodiscard]] std::size_t bytes_of(Row const& row) const { return sets_.bytes()[row.configuration]; }
    [[nodiscard]] std::string_view level_of_row(Row const& row) const {
        return level_of(system_topology().cores[index(place_.core)].levels, bytes_of(row));
    }

    MemoryOptions options_;
    MemoryPlace place_{};
    std::size_t wanted_ = 0; // bytes, the largest set
    MeasuredMemory memory_;
    WorkingSets sets_;
};

// A configuration is a load, the share of its time that each other core of the node uses the memory, and in what way it
// does so: it reads; or, of curves, in each of the ways that there are.
class LoadedExperiment final : public Experiment {
  public:
    enum class Of : std::uint8_t { Reads, Curves };

    LoadedExperiment(MemoryOptions const& options, Of of)
        : options_(options)
        , set_(set_of(options))
        , mixes_(of == Of::Reads ? 1 : value_names(LineMix{}).size()) {}
    Result<void> set_up() {
        NodeId const here = Worker::current().node();
        place_ = MXK_TRY(MemoryPlace::choose(options_));
        auto const neighbours = system_topology().nodes[index(system_topology().cores[index(place_.core)].node)].cores;
        cores_ = MXK_TRY(NodeVector<CoreId>::create(neighbours.size(), here));
        cores_.emplace(place_.core);
        for (CoreId const core : neighbours)
            if (core != place_.core) cores_.emplace(core);
        skipped_ = MXK_TRY(NodeVector<Skipped>::create(1, here));
        if (others() == 0)
            skipped_.emplace("loads above 0", Error::of("needs another core of core {}'s node", place_.core));
        chain_ = MXK_TRY(MeasuredMemory::create(set_, place_.node));
        words_ = MXK_TRY(MeasuredMemory::create(set_, place_.node));
        bandwidths_ = MXK_TRY(NodeVector<double>::create(configurations() * options_.repeat.count, here));
        for (std::size_t i = 0; i < configurations() * options_.repeat.count; ++i) bandwidths_.emplace();
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return others() == 0 ? 1 : mixes_ * loads.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const override { return skipped_.span(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    void keep(std::size_t configuration) override {
        bandwidths_[configuration * options_.repeat.count + kept_[configuration]++] = last_;
    }
    [[nodiscard]] std::string_view failure() const override {
        return "the chain did not visit each line once, or other cores read other words than were there, or what they "
               "wrote is not there";
    }

    void print_head(TextSink& out) const override {
        format(out,
               "loaded memory latency: core {} waits for its loads, {} other cores of its node {}, memory of node {}",
               place_.core, others(), is_of_curves() ? "use the memory" : "read", place_.node);
        format(out, ", {} each; {} runs per row\n", byte_text(set_).view(), options_.repeat.text().view());
        print_emulated(out, set_, options_.set.has_value());
    }
    void print_label_heading(TextSink& out) const override { format(out, "{:>8} {:>12}", "", "load"); }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:>8} {:12.3}", name_of(mix_at(row.configuration)), load_at(row.configuration));
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "latency at load {:.3}, {}", load_at(row.configuration), name_of(mix_at(row.configuration)));
    }
    void print_details(TextSink& out, Row const& row) const override {
        format(out, "  the others move {:.2} GB/s\n", moved_of(row.configuration).median / 1e9);
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        json.field("measure", is_of_curves() ? "curve" : "loaded-latency");
        if (is_of_curves()) json.field("mix", name_of(mix_at(row.configuration)));
        json.field("load", load_at(row.configuration));
        place_.write(json);
        json.field("readers", others());
        json.field("bytes", set_);
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        write_summary(json, "bytes_per_second", moved_of(row.configuration));
    }

  private:
    static constexpr std::array loads{0.0, 0.125, 0.25, 0.5, 0.75, 1.0};

    [[nodiscard]] bool is_of_curves() const { return mixes_ > 1; }
    [[nodiscard]] std::size_t others() const { return cores_.size() - 1; }
    [[nodiscard]] static double load_at(std::size_t configuration) { return loads[configuration % loads.size()]; }
    [[nodiscard]] static LineMix mix_at(std::size_t configuration) {
        return value_names(LineMix{})[configuration / loads.size()].value;
    }
    // What the others have moved per second, of the runs that count.
    [[nodiscard]] Summary moved_of(std::size_t configuration) const {
        return summarise(bandwidths_.span().subspan(configuration * options_.repeat.count, kept_[configuration]));
    }

    MemoryOptions options_;
    MemoryPlace place_{};
    std::size_t set_;          // bytes of each of the two
    std::size_t mixes_;        // the first so many
    NodeVector<CoreId> cores_; // the first one waits for its loads
    NodeVector<Skipped> skipped_;
    MeasuredMemory chain_;
    MeasuredMemory words_;                                                         // that the others use
    NodeVector<double> bandwidths_;                                                // by configuration, then by run
    std::array<std::size_t, loads.size() * value_names(LineMix{}).size()> kept_{}; // runs of a configuration
    double last_ = 0; // bytes per second, of the run that has just ended
};

Result<void> LoadedExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    ChaseLayout const layout{chain_.start(), set_ / cache_line_bytes};
    MXK_TRY(run_steps(cores_.span().first(1), progress, [&](Worker&, std::size_t) {
        link_places(layout, chase_seed);
        write_words(words_.words(), 0);
        return Step::Done;
    }));
    bool const is_loaded = load_at(configuration) > 0;
    auto memory_loads = MXK_TRY(NodeVector<MemoryLoad>::create(cores_.size(), Worker::current().node()));
    Words const all = words_.words();
    for (std::size_t place = 1; place < cores_.size(); ++place) {
        Words const part = part_of(all, place - 1, others());
        memory_loads.emplace(part, static_cast<std::uint64_t>(part.data() - all.data()), load_at(configuration),
                             mix_at(configuration));
    }

    ChaseRun chase(layout, options_.loads);
    std::atomic<bool> is_over{false}; // relaxed: nothing else is read because of it
    auto const cores = cores_.span().first(is_loaded ? cores_.size() : 1);
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        if (place == 0) {
            if (chase.advance() && !progress.interrupted()) return Step::Again;
            is_over.store(true, std::memory_order_relaxed);
            return Step::Done;
        }
        // A piece at a time, so that the chain's core gets its turn where both share a processor.
        memory_loads[place - 1].do_piece();
        return is_over.load(std::memory_order_relaxed) ? Step::Done : Step::Again;
    }));
    samples[0] = sample_of(chase);
    last_ = 0;
    if (!is_loaded) return {};
    for (MemoryLoad const& load : memory_loads) {
        last_ += load.bytes_per_second();
        samples[0].verified = samples[0].verified && load.verified();
    }
    return {};
}

// A configuration is a number of chains that are followed at a time, or how far ahead places are prefetched.
class OverlapExperiment final : public Experiment {
  public:
    explicit OverlapExperiment(MemoryOptions const& options)
        : options_(options) {}
    Result<void> set_up() {
        place_ = MXK_TRY(MemoryPlace::choose(options_));
        // A power of two: the walk wants one, and both ways are to have the same set.
        std::size_t const set = std::bit_floor(options_.set.value_or(default_set_bytes()));
        memory_ = MXK_TRY(MeasuredMemory::create(set, place_.node));
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return cases.size(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        auto const [are_chains, count] = cases[configuration];
        std::size_t const lines = memory_.bytes() / cache_line_bytes;
        ChainGroup chains({memory_.start(), lines}, are_chains ? count : 1);
        PrefetchedWalk walk(memory_.words(), lines);
        // By the core that is measured, so that it is where its writes leave it.
        std::array const cores{place_.core};
        MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t) {
            are_chains ? chains.link(chase_seed) : walk.write();
            return Step::Done;
        }));
        samples[0] = are_chains ? MXK_TRY(measure(chains, progress, [&] { chains.follow(); }))
                                : MXK_TRY(measure(walk, progress, [&] { walk.follow(count); }));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "a chain did not visit each line once"; }

    void print_head(TextSink& out) const override {
        format(out, "overlapping loads of core {}, memory of node {}, {}: ns per load, ", place_.core, place_.node,
               byte_text(memory_.bytes()).view());
        format(out, "by chains followed at a time and by how many loads ahead a place is prefetched; {} runs\n",
               options_.repeat.text().view());
        print_emulated(out, memory_.bytes(), options_.set.has_value());
    }
    void print_label_heading(TextSink& out) const override { format(out, "{:>9} {:>5}", "", ""); }
    void print_label(TextSink& out, Row const& row) const override {
        auto const [are_chains, count] = cases[row.configuration];
        format(out, "{:>9} {:5}", are_chains ? "chains" : "prefetch", count);
    }
    void print_title(TextSink& out, Row const& row) const override {
        auto const [are_chains, count] = cases[row.configuration];
        if (are_chains)
            format(out, "{} chains at a time", count);
        else
            format(out, "prefetched {} loads ahead", count);
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        auto const [are_chains, count] = cases[row.configuration];
        json.field("measure", are_chains ? "chains" : "prefetch");
        place_.write(json);
        json.field("bytes", memory_.bytes());
        json.field(are_chains ? "chains" : "distance", count);
    }

  private:
    struct Case {
        bool are_chains;
        std::size_t count; // of chains; of loads between a prefetch and its use
    };
    // clang-format off
    static constexpr std::array<Case, 14> cases{{
        {true, 1}, {true, 2}, {true, 4}, {true, 8}, {true, 16}, {true, 32},
        {false, 0}, {false, 1}, {false, 2}, {false, 4}, {false, 8}, {false, 16}, {false, 32}, {false, 64}}};
    // clang-format on

    // The laps of a run, timed; `group`: what is followed. On the core that is measured.
    template <typename Group, typename Follow>
    [[nodiscard]] Result<Sample> measure(Group& group, Progress const& progress, Follow follow) const {
        std::size_t const laps = (options_.loads + group.loads() - 1) / group.loads();
        std::array const cores{place_.core};
        TimeSpan const time = MXK_TRY(time_on(cores, progress, [&](std::size_t) {
            for (std::size_t lap = 0; lap < laps; ++lap) follow();
        }));
        std::size_t const loads = laps * group.loads();
        return Sample{.value = time.seconds() * 1e9 / static_cast<double>(loads),
                      .operations = loads,
                      .verified = group.verified()};
    }

    MemoryOptions options_;
    MemoryPlace place_{};
    MeasuredMemory memory_;
};

} // namespace

console::Outcome measure_latency(console::Invocation& invocation, MemoryOptions const& options) {
    return measure_part<LatencyExperiment>(invocation, options);
}
console::Outcome measure_loaded(console::Invocation& invocation, MemoryOptions const& options) {
    return measure_part<LoadedExperiment>(invocation, options, LoadedExperiment::Of::Reads);
}
console::Outcome measure_curves(console::Invocation& invocation, MemoryOptions const& options) {
    return measure_part<LoadedExperiment>(invocation, options, LoadedExperiment::Of::Curves);
}
console::Outcome measure_overlap(console::Invocation& invocation, MemoryOptions const& options) {
    return measure_part<OverlapExperiment>(invocation, options);
}

} // namespace mxk::bench
