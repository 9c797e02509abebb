// `bench memory --part random`: how many bytes the cores of a set move per second in lines that are random and
// independent of each other: the limit of every table that is larger than the caches. Each core has a part of its own,
// of its node's memory. How lines are best asked for ahead of their use is found out before the first run of a row.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/frame/grid.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/measured_memory.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/random_lines.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

class RandomExperiment final : public GridExperiment {
  public:
    explicit RandomExperiment(MemoryOptions const& options)
        : options_(options)
        , set_(set_of(options)) {}
    Result<void> set_up() override;

    [[nodiscard]] Unit unit() const override { return Unit::BytesPerSecond; }
    [[nodiscard]] bool has_speed_up() const override { return false; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override;
    [[nodiscard]] std::string_view failure() const override {
        return "a line had another number than its own, or not what was written to it";
    }

    void print_head(TextSink& out) const override {
        format(out, "random memory lines, GB/s: independent of each other, {} of a node's memory; {} runs per row\n",
               byte_text(set_).view(), options_.repeat.text().view());
        print_emulated(out, set_, options_.set.has_value());
    }
    void print_details(TextSink& out, Row const& row) const override {
        if (LinesAhead const best = best_[row.configuration].value_or(LinesAhead{}); best.hint != LineHint::None)
            format(out, "  asked for {} lines ahead, hint {}\n", best.distance, name_of(best.hint));
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        LinesAhead const best = best_[row.configuration].value_or(LinesAhead{});
        json.field("hint", name_of(best.hint));
        json.field("distance", best.distance);
    }

  private:
    // Of one core.
    struct Part {
        RandomLines lines;
        std::size_t left = 0; // lines to visit
        Cycles start{};
        Cycles end{};
    };
    static constexpr std::size_t mixes_axis = 0;
    static constexpr std::array<std::uint32_t, 5> distances{8, 16, 32, 64, 128};

    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        json.field("measure", "random");
        if (options_.node) json.field("memory_node", *options_.node);
        json.field("bytes", set_);
    }
    [[nodiscard]] std::size_t node_of(CoreId core) const { return options_.node.value_or(index(memory_node_of(core))); }
    [[nodiscard]] Result<NodeVector<Part>> parts_of(std::span<CoreId const> cores) const;
    // Bytes per second: each core visits so many lines, from where it was.
    static Result<double> visit(std::span<CoreId const> cores, std::span<Part> parts, LineMix mix, LinesAhead ahead,
                                std::size_t lines, Progress const& progress);
    // The hint and the distance that move more bytes than the others.
    [[nodiscard]] Result<LinesAhead> find_best(std::span<CoreId const> cores, std::span<Part> parts, LineMix mix,
                                               Progress const& progress) const;

    MemoryOptions options_;
    std::size_t set_; // bytes, of all cores of a node together
    NameSet<LineMix> mixes_ = or_all(NameSet<LineMix>{});
    NodeVector<MeasuredMemory> memories_;        // by node; empty where none is needed
    NodeVector<std::optional<LinesAhead>> best_; // by configuration
};

Result<void> RandomExperiment::set_up() {
    NodeId const here = Worker::current().node();
    std::size_t const nodes = system_topology().nodes.size();
    if (options_.node.value_or(0) >= nodes)
        return Error::of("--node: expected a node from 0 to {}, those of this machine, got {}", nodes - 1,
                         *options_.node);
    add(Axis::chosen("mix", 9, mixes_));
    MXK_TRY(add_cores(options_.cores));
    memories_ = MXK_TRY(NodeVector<MeasuredMemory>::create(nodes, here));
    for (std::size_t node = 0; node < nodes; ++node) memories_.emplace();
    for (std::size_t at = 0; at < core_sets().size(); ++at)
        for (CoreId const core : core_sets().cores(at))
            if (auto& memory = memories_[node_of(core)]; memory.bytes() == 0)
                memory = MXK_TRY(MeasuredMemory::create(set_, node_id(node_of(core))));
    best_ = MXK_TRY(NodeVector<std::optional<LinesAhead>>::create(configurations(), here));
    for (std::size_t i = 0; i < configurations(); ++i) best_.emplace();
    return {};
}

Result<NodeVector<RandomExperiment::Part>> RandomExperiment::parts_of(std::span<CoreId const> cores) const {
    auto parts = MXK_TRY(NodeVector<Part>::create(cores.size(), Worker::current().node()));
    for (std::size_t place = 0; place < cores.size(); ++place) {
        std::size_t const node = node_of(cores[place]);
        auto const is_on_node = [&](CoreId core) { return node_of(core) == node; };
        auto const sharers = static_cast<std::size_t>(std::ranges::count_if(cores, is_on_node));
        auto const before = static_cast<std::size_t>(std::ranges::count_if(cores.first(place), is_on_node));
        // A power of two of lines for each, so that they can be visited in a random order that needs no memory.
        std::size_t const bytes = std::bit_floor(set_ / sharers);
        if (bytes < cache_line_bytes)
            return Error::of("--set: expected a line for each of {} cores, got {} bytes", sharers, set_);
        std::size_t const words = bytes / sizeof(std::uint64_t);
        parts.emplace(RandomLines(memories_[node].words().subspan(before * words, words)));
    }
    return parts;
}

Result<double> RandomExperiment::visit(std::span<CoreId const> cores, std::span<Part> parts, LineMix mix,
                                       LinesAhead ahead, std::size_t lines, Progress const& progress) {
    constexpr std::size_t lines_per_step = 8 * piece; // between two looks for Ctrl-C
    auto const bytes_of_all = [&] {
        std::uint64_t sum = 0;
        for (Part const& part : parts) sum += part.lines.bytes();
        return sum;
    };
    std::uint64_t const before = bytes_of_all();
    for (Part& part : parts) part.left = lines;
    CoreBarrier barrier(cores.size());
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        Part& part = parts[place];
        if (part.left == lines) {
            barrier.arrive_and_wait();
            measured_part_begins();
            part.start = clock::timestamp();
        }
        std::size_t const now = std::min(part.left, lines_per_step);
        part.lines.visit(mix, ahead, now);
        part.left -= now;
        if (part.left > 0 && !progress.interrupted()) return Step::Again;
        part.end = clock::timestamp();
        measured_part_ends();
        return Step::Done;
    }));
    TimeSpan time;
    for (Part const& part : parts) time.cover(part.start, part.end);
    return static_cast<double>(bytes_of_all() - before) / time.seconds();
}

Result<LinesAhead> RandomExperiment::find_best(std::span<CoreId const> cores, std::span<Part> parts, LineMix mix,
                                               Progress const& progress) const {
    std::size_t const lines = std::max<std::size_t>(options_.loads / 4, 1);
    LinesAhead best{};
    double max = 0;
    auto const attempt = [&](LinesAhead ahead) -> Result<void> {
        double const rate = MXK_TRY(visit(cores, parts, mix, ahead, lines, progress));
        if (rate > max) best = ahead;
        max = std::max(max, rate);
        return {};
    };
    MXK_TRY(attempt({}));
    if (mix == LineMix::Streamed) return best;
    // Each twice, one after all others: what disturbs one attempt misses the other.
    for (int round = 0; round < 2; ++round)
        for (auto const& [hint, its_name] : value_names(LineHint{}))
            for (std::uint32_t const distance : distances)
                if (hint != LineHint::None) MXK_TRY(attempt({hint, distance}));
    return best;
}

Result<void> RandomExperiment::run_at(Point const& point, std::span<Sample> samples, Progress& progress) {
    auto const cores = this->cores(point);
    auto const mix = chosen_at(mixes_, point[mixes_axis]);
    auto parts = MXK_TRY(parts_of(cores));
    auto const prepare = [&] {
        return run_steps(cores, progress, [&](Worker&, std::size_t place) {
            parts[place].lines.prepare();
            return Step::Done;
        });
    };
    MXK_TRY(prepare());
    if (auto& best = best_[configuration_of(point)]; !best) {
        best = MXK_TRY(find_best(cores, parts.span(), mix, progress));
        MXK_TRY(prepare());
    }
    std::size_t const lap = parts[0].lines.lines();
    std::size_t const lines = (options_.loads + lap - 1) / lap * lap;
    double const rate = MXK_TRY(visit(cores, parts.span(), mix, *best_[configuration_of(point)], lines, progress));
    std::atomic<bool> verified{true};
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        if (!parts[place].lines.verified())
            verified.store(false, std::memory_order_relaxed); // read after all have ended
        return Step::Done;
    }));
    std::uint64_t bytes = 0;
    std::uint64_t visits = 0;
    for (Part const& part : parts) {
        bytes += part.lines.bytes();
        visits += part.lines.visits();
    }
    samples[0] = {.value = rate, .operations = bytes, .verified = verified};
    samples[0].findings.add("lines_per_second", rate * static_cast<double>(visits) / static_cast<double>(bytes));
    return {};
}

} // namespace

console::Outcome measure_random(console::Invocation& invocation, MemoryOptions const& options) {
    return measure_part<RandomExperiment>(invocation, options);
}

} // namespace mxk::bench
