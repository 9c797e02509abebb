// What differs from one benchmark of a contended lock to the other (bodies.hpp), for tasks and for ranks over MPI: its
// options, the points of its sweep, what a worker does at one, and the fields that say it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/json.hpp"
#include "bench/frame/names.hpp"
#include "bench/lock/bodies.hpp"
#include "bench/lock/turn_statistics.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

struct EmptySweep {
    static constexpr std::string_view name = "lock ecsb";
    static constexpr std::string_view acronym = "ECSB";
    static constexpr std::string_view heading{}; // one point
    static constexpr std::size_t width = 0;

    static constexpr std::span<std::uint32_t const> values() { return {}; }
    static constexpr std::size_t judged_point() { return 0; }
    static constexpr std::size_t words(std::size_t /*workers*/) { return section_words; }
    template <Team T, SharedWords W, typename Sections>
    static Turn run(std::size_t, T& team, UsedLock const& lock, Timing const& timing, W&, Sections& sections) {
        return run_ecsb(team, lock, timing, sections);
    }
    // Of the sections' words: whether they hold what was done.
    template <SharedWords W> static bool is_right(TeamOutcome const&, W&, std::size_t) { return true; }
    static void add_findings(std::size_t, double, Findings&) {}
    static void print_choice(TextSink&) {}
    static void write_point(JsonWriter&, std::size_t) {}
};

enum class WaitProgress : std::uint8_t { No, Yes };
constexpr auto value_names(WaitProgress) {
    return std::array{console::NamedValue{WaitProgress::No, "no"}, console::NamedValue{WaitProgress::Yes, "yes"}};
}
struct WaitChoice {
    console::CountList waits{};
    WaitProgress progress = WaitProgress::Yes;
};

struct WaitSweep {
    static constexpr std::string_view name = "lock wbab";
    static constexpr std::string_view acronym = "WBAB";
    static constexpr std::string_view heading = "wait";
    static constexpr std::size_t width = 7;

    [[nodiscard]] auto values() const { return choice.waits.values(); }
    // At the shortest wait but none.
    [[nodiscard]] std::size_t judged_point() const { return values().size() > 1 ? 1 : 0; }
    static constexpr std::size_t words(std::size_t /*workers*/) { return section_words; }
    template <Team T, SharedWords W, typename Sections>
    Turn run(std::size_t point, T& team, UsedLock const& lock, Timing const& timing, W&, Sections& sections) const {
        return run_wbab(team, lock, timing,
                        {.mean = T::ticks(Nanoseconds{values()[point] * team.workers()}),
                         .makes_progress = choice.progress == WaitProgress::Yes,
                         .seed = seed},
                        sections);
    }
    template <SharedWords W> static bool is_right(TeamOutcome const&, W&, std::size_t) { return true; }
    // Above what the waits alone would let the time from one section to the next be.
    void add_findings(std::size_t point, double iteration_seconds, Findings& findings) const {
        findings.add("overhead_ns", iteration_seconds * 1e9 - static_cast<double>(values()[point]));
    }
    void print_choice(TextSink& out) const { format(out, "progress while waiting: {}; ", name_of(choice.progress)); }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("wait_ns", values()[point]);
        json.field("progress", name_of(choice.progress));
    }

    WaitChoice choice;
    std::uint64_t seed = 1;
};

enum class WorkMode : std::uint8_t { Partner, Shared };
constexpr auto value_names(WorkMode) {
    return std::array{console::NamedValue{WorkMode::Partner, "partner"},
                      console::NamedValue{WorkMode::Shared, "shared"}};
}
struct WorkChoice {
    console::CountList critical{0, 1, 2, 3, 4, 5};
    WorkMode mode = WorkMode::Partner;
};

struct WorkSweep {
    static constexpr std::string_view name = "lock ccwb";
    static constexpr std::string_view acronym = "CCWB";
    static constexpr std::string_view heading = "k";
    static constexpr std::size_t width = 3;

    [[nodiscard]] auto values() const { return choice.critical.values(); }
    [[nodiscard]] std::size_t judged_point() const { return values().size() - 1; } // the maximum of critical work
    static constexpr std::size_t words(std::size_t workers) { return Work::words(workers, max_critical_work); }
    template <Team T, SharedWords W, typename Sections>
    Turn run(std::size_t point, T& team, UsedLock const& lock, Timing const& timing, W& words,
             Sections& sections) const {
        return run_ccwb(team, lock, timing,
                        {.critical = values()[point], .is_shared = choice.mode == WorkMode::Shared, .seed = seed},
                        words, sections);
    }
    template <SharedWords W> static bool is_right(TeamOutcome const& outcome, W& words, std::size_t workers) {
        return sum_of_increments(words, workers) == outcome.increments;
    }
    static void add_findings(std::size_t, double, Findings&) {}
    void print_choice(TextSink& out) const { format(out, "critical work on words of {}; ", name_of(choice.mode)); }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("k", values()[point]);
        json.field("mode", name_of(choice.mode));
    }

    WorkChoice choice;
    std::uint64_t seed = 1;
};

namespace sweep_option {
constexpr auto waits =
    console::option<&WaitChoice::waits>("wait",
                                        "nanoseconds of a worker's mean wait, by the number of workers (none given: "
                                        "0, then doubled: 10 to 2560 on smp, 250 to 64000 elsewhere)",
                                        console::between(0, 1'000'000));
constexpr auto progress =
    console::option<&WaitChoice::progress>("progress", "whether a waiter offers its processor, and serves others");
constexpr auto critical =
    console::option<&WorkChoice::critical>("k", "increments in the section", console::between(0, max_critical_work));
constexpr auto mode =
    console::option<&WorkChoice::mode>("mode", "whose words are incremented in the section: those of the worker's "
                                               "partner, or the home's, by all");
} // namespace sweep_option

} // namespace mxk::bench
