// `bench noise`: what takes a core away from a program that does nothing but look at the clock: interrupts, SMIs, a
// host. All cores of a set at once. What each number is: docs/bench-machine.md.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/measured_memory.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk::bench {
namespace {

struct NoiseOptions : RunOptions {
    constexpr NoiseOptions()
        : RunOptions{.repeat = 3} {}

    topology::CoreSets cores{};
    std::uint32_t seconds = 5;
};

constexpr auto noise_schema = console::schema<NoiseOptions>(
    console::option<&NoiseOptions::seconds>("seconds", "that a run watches", console::between(1, 3600)),
    console::option<&NoiseOptions::cores>("cores", "one set such as 4, 0-7, node:1, physical (none given: all)"),
    run_option::repeat, run_option::warm_up, run_option::json);

// Of one core: what lay between two readings of the clock.
class GapWatch {
  public:
    // Microseconds, by doublings: from 1 on, from 2 on, from 4 on ... The last one has all that are longer.
    static constexpr std::size_t bins = 24;
    using Counts = std::array<std::uint64_t, bins>;

    void watch(Cycles time) {
        std::uint64_t const start = raw(clock::timestamp());
        std::uint64_t last = start;
        while (last - start < raw(time)) {
            std::uint64_t const now = raw(clock::timestamp());
            ++readings_;
            if (now - last >= shortest_) [[unlikely]]
                note(last, now);
            last = now;
        }
        watched_ += last - start;
    }

    [[nodiscard]] Cycles watched() const { return Cycles{watched_}; }
    [[nodiscard]] Cycles lost() const { return Cycles{lost_}; }
    [[nodiscard]] Cycles largest() const { return Cycles{largest_}; }
    [[nodiscard]] std::uint64_t readings() const { return readings_; }
    [[nodiscard]] Counts const& counts() const { return counts_; }
    [[nodiscard]] std::uint64_t gaps() const {
        std::uint64_t sum = 0;
        for (std::uint64_t const count : counts_) sum += count;
        return sum;
    }
    // The clock never went back.
    [[nodiscard]] bool verified() const { return is_ordered_; }

  private:
    [[gnu::noinline]] void note(std::uint64_t last, std::uint64_t now) {
        if (now < last) {
            is_ordered_ = false;
            return;
        }
        std::uint64_t const gap = now - last;
        auto const doublings = static_cast<std::size_t>(std::bit_width(gap / shortest_)) - 1;
        ++counts_[std::min(doublings, bins - 1)];
        lost_ += gap;
        largest_ = std::max(largest_, gap);
    }

    std::uint64_t shortest_ = std::max<std::uint64_t>(raw(clock::to_cycles(Nanoseconds{1000})), 1); // that is a gap
    std::uint64_t watched_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t largest_ = 0;
    std::uint64_t readings_ = 0;
    Counts counts_{};
    bool is_ordered_ = true;
};

// One configuration; a phase is a core.
class NoiseExperiment final : public Experiment {
  public:
    using Options = NoiseOptions;
    static constexpr std::string_view name = "noise";

    explicit NoiseExperiment(Options const& options)
        : options_(options) {}
    Result<void> set_up() {
        cores_ = MXK_TRY(one_set_or_all(options_.cores));
        counts_ = MXK_TRY(NodeVector<GapWatch::Counts>::create(cores_.size(), Worker::current().node()));
        for (std::size_t i = 0; i < cores_.size(); ++i) counts_.emplace();
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return 1; }
    [[nodiscard]] std::size_t phases() const override { return cores_.size(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override;
    void keep(std::size_t /*configuration*/) override {
        for (std::size_t place = 0; place < cores_.size(); ++place)
            for (std::size_t bin = 0; bin < GapWatch::bins; ++bin) counts_[place][bin] += watches_[place].counts()[bin];
    }
    [[nodiscard]] std::string_view failure() const override { return "the core's clock went back"; }

    void print_head(TextSink& out) const override {
        format(out, "noise: {} cores that look at nothing but the clock for {} s; the largest gap, ns; {} runs\n",
               cores_.size(), options_.seconds, options_.repeat.text().view());
    }
    void print_label_heading(TextSink& out) const override { format(out, "{:>6}", "core"); }
    void print_label(TextSink& out, Row const& row) const override { format(out, "{:6}", cores_[row.phase]); }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "largest gap of core {}", cores_[row.phase]);
    }
    void print_details(TextSink& out, Row const& row) const override {
        GapWatch::Counts const& counts = counts_[row.phase];
        out.write("  gaps, by us:");
        for (std::size_t bin = 0; bin < GapWatch::bins; ++bin)
            if (counts[bin] != 0) format(out, " {}+: {}", std::uint64_t{1} << bin, counts[bin]);
        out.write(std::ranges::all_of(counts, [](std::uint64_t count) { return count == 0; }) ? " none\n" : "\n");
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        json.field("measure", "gaps");
        json.field("core", cores_[row.phase]);
        json.field("cores", cores_.size());
        json.field("seconds", options_.seconds);
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        json.begin_array("gaps");
        for (std::size_t bin = 0; bin < GapWatch::bins; ++bin) {
            if (counts_[row.phase][bin] == 0) continue;
            json.begin_object();
            json.field("from_ns", std::uint64_t{1000} << bin);
            json.field("count", counts_[row.phase][bin]);
            json.end_object();
        }
        json.end_array();
    }

  private:
    Options options_;
    NodeVector<CoreId> cores_;
    NodeVector<GapWatch::Counts> counts_; // by place, of the runs that count
    PerCore<GapWatch> watches_;           // of the last run
};

Result<void> NoiseExperiment::run(std::size_t /*configuration*/, std::span<Sample> samples, Progress& progress) {
    watches_ = MXK_TRY(PerCore<GapWatch>::with_room(cores_.size(), Worker::current().node()));
    for (CoreId const core : cores_)
        if (auto const added = watches_.add(memory_node_of(core)); !added) return added.error();
    Cycles const turn = clock::to_cycles(Nanoseconds{10'000'000}); // between two looks for Ctrl-C
    Cycles const time{raw(clock::to_cycles(Nanoseconds{1'000'000'000})) * options_.seconds};
    CoreBarrier barrier(cores_.size());
    MXK_TRY(run_steps(cores_.span(), progress, [&](Worker&, std::size_t place) {
        GapWatch& mine = watches_[place];
        if (mine.readings() == 0) {
            barrier.arrive_and_wait();
            measured_part_begins();
        }
        mine.watch(turn);
        if (mine.watched() < time && !progress.interrupted()) return Step::Again;
        measured_part_ends();
        return Step::Done;
    }));
    for (std::size_t place = 0; place < cores_.size(); ++place) {
        GapWatch const& found = watches_[place];
        double const watched = seconds_of(found.watched());
        samples[place] = {
            .value = seconds_of(found.largest()) * 1e9, .operations = found.readings(), .verified = found.verified()};
        samples[place].findings.add("lost_share", seconds_of(found.lost()) / watched);
        samples[place].findings.add("gaps_per_second", static_cast<double>(found.gaps()) / watched);
    }
    return {};
}

constexpr auto noise_benchmark =
    benchmark<NoiseExperiment, noise_schema>({.summary = "what takes cores away that do nothing: gaps of their clocks",
                                              .notes = "Example: bench noise --seconds 10 --json\n"});
MXK_REGISTER(mxk_commands, console::Command, noise_benchmark);

} // namespace
} // namespace mxk::bench
