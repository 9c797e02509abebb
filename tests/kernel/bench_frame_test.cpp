// The measuring frame on an experiment that does nothing but write down which configuration ran when: order of rounds,
// warm-up, drift, what is kept, what is said about a machine that was not quiet, and what ends a benchmark.
#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

#include "arch/cpu.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/conditions_watch.hpp"
#include "bench/frame/event_counts.hpp"
#include "bench/frame/grid.hpp"
#include "bench/frame/measured_part.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

class Recorder final : public Experiment {
  public:
    explicit Recorder(std::size_t configurations)
        : configurations_(configurations) {}

    [[nodiscard]] Unit unit() const override { return rates ? Unit::OperationsPerSecond : Unit::CyclesPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return configurations_; }
    [[nodiscard]] bool continues_after_failure() const override { return continues; }
    [[nodiscard]] std::string_view failure() const override { return "a planted fault"; }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress&) override {
        std::size_t const number = count;
        format(runs, "{}", configuration);
        if (configuration == failing) return Error("a planted error");
        ++count;
        for (Cycles const start = clock::timestamp(); raw(clock::timestamp() - start) < raw(spends);) arch::pause();
        bool const is_late = number >= slow_from;
        samples[0] = {.value = is_late ? 200.0 : 100.0, .operations = operations, .verified = configuration != wrong};
        return {};
    }
    void keep(std::size_t configuration) override { format(kept, "{}", configuration); }

    void print_head(TextSink&) const override {}
    void print_label_heading(TextSink& out) const override { out.write("row"); }
    void print_label(TextSink& out, Row const& row) const override { format(out, "row {}", row.configuration); }
    void print_title(TextSink& out, Row const& row) const override { print_label(out, row); }
    void write_settings(JsonWriter&, Row const&) const override {}

    static constexpr std::size_t never = 99;

    bool continues = false;
    bool rates = false;
    std::uint64_t operations = 1;
    std::size_t failing = never;   // this configuration's runs end with an error
    std::size_t wrong = never;     // this one's are not verified
    std::size_t slow_from = never; // from this run on a run takes twice as long
    Cycles spends{};               // on each run
    std::size_t count = 0;         // of runs
    FixedText<64> runs{};          // configurations, in the order in which they ran
    FixedText<64> kept{};

  private:
    std::size_t configurations_;
};

struct Measured {
    console::Outcome outcome;
    FixedText<2048> said;

    [[nodiscard]] bool says(std::string_view text) const { return said.view().find(text) != std::string_view::npos; }
};

// What the host is said to have done to a run: nothing, where a test says nothing else.
constexpr arch::RunEvidence clean{
    .waited = 0.001, .stolen = 0, .memory_stall = 0, .switches = 3, .moved = 0, .stopped = 0};
constinit arch::RunEvidence evidence = clean;

CounterSource without_counters() {
    return {.has_any = [] { return false; },
            .max_gap = [](Nanoseconds) { return std::optional<Nanoseconds>(); },
            .run_ends = [] { return evidence; }};
}

Measured measured(Recorder& recorder, RunOptions const& options, CounterSource const& source = without_counters()) {
    Measured result{};
    console::Invocation invocation(result.said);
    set_counter_source(source);
    result.outcome = measure(invocation, "recorder", recorder, options);
    set_counter_source({});
    return result;
}

MXK_TEST(bench_frame, each_round_begins_with_the_next_configuration) {
    Recorder recorder(3);
    MXK_CHECK(measured(recorder, {.repeat = 4, .warm_up = 1}).outcome == console::Outcome::Ok);
    // warm-up; four rounds; the first configuration again, as often
    MXK_CHECK(recorder.runs.view() == "012"
                                      "012"
                                      "120"
                                      "201"
                                      "012"
                                      "0000");
}

MXK_TEST(bench_frame, only_rounds_that_count_are_kept) {
    Recorder recorder(2);
    MXK_CHECK(measured(recorder, {.repeat = 2, .warm_up = 1}).outcome == console::Outcome::Ok);
    MXK_CHECK(recorder.runs.view() == "01"
                                      "01"
                                      "10"
                                      "00");
    MXK_CHECK(recorder.kept.view() == "01"
                                      "10");
}

MXK_TEST(bench_frame, one_configuration_has_no_drift) {
    Recorder recorder(1);
    Measured const result = measured(recorder, {.repeat = 3});
    MXK_CHECK(recorder.runs.view() == "000");
    MXK_CHECK(!result.says("drift") && !result.says("WARN"));
}

MXK_TEST(bench_frame, a_machine_that_drifts_is_a_warning) {
    Recorder recorder(2);
    recorder.slow_from = 4; // the first configuration again
    Measured const result = measured(recorder, {.repeat = 2});
    MXK_CHECK(result.outcome == console::Outcome::Ok);
    MXK_CHECK(result.says("drift: row 0 again at the end: 200.0 cycles, 2.000 of the first row\n"));
    MXK_CHECK(result.says("WARN the machine was not quiet: row 0: drift 2.000, expected 0.9 to 1.1\n"));
    MXK_CHECK(!result.says("interval 0 %"));
}

MXK_TEST(bench_frame, a_wide_interval_is_a_warning) {
    Recorder recorder(1);
    recorder.slow_from = 2;
    Measured const result = measured(recorder, {.repeat = 4, .json = true});
    MXK_CHECK(result.says("WARN the machine was not quiet: row 0: interval "));
    MXK_CHECK(result.says("\"quiet\":false,\"not_quiet\":\"interval "));
    Recorder quiet(1);
    MXK_CHECK(measured(quiet, {.repeat = 4, .json = true}).says("\"quiet\":true"));
}

// Counters of a machine that has all of them. Each reading of a core finds as many SMIs more as `step` says; all
// cores run at three quarters of the time-stamp counter's frequency.
namespace counters {

std::atomic<std::uint64_t> step{0};
std::atomic<std::uint64_t> readings{0};
std::atomic<std::uint32_t> throttled{0};
std::atomic<std::uint64_t> gap{0};

arch::CoreCounters read() {
    std::uint64_t const round = ++readings / workers::count(); // all cores before a run, then all after it
    return {.smis = round * step, .actual = round * 3000, .reference = round * 4000, .throttled = throttled.load()};
}

CounterSource pretended(std::uint64_t smis, arch::Throttling what, std::uint64_t max_gap = 0) {
    step = smis;
    throttled = arch::bit_of(what);
    gap = max_gap;
    readings = workers::count() - 1; // the first reading is one of a whole round
    return {.has_any = [] { return true; },
            .read = &read,
            .forget_throttling = [] {},
            .max_gap = [](Nanoseconds) { return std::optional(Nanoseconds{gap.load()}); },
            .run_ends = [] { return arch::RunEvidence(); }};
}

} // namespace counters

MXK_TEST(bench_frame, smis_and_throttling_are_said_with_the_row) {
    Recorder recorder(1);
    Measured const result =
        measured(recorder, {.repeat = 3, .json = true}, counters::pretended(2, arch::Throttling::PowerLimit, 150'000));
    MXK_CHECK(result.outcome == console::Outcome::Ok);
    MXK_CHECK(result.says("  disturbed by 6 SMIs, no core ran for 150.0 us, as in an SMI, throttled: power limit\n"));
    MXK_CHECK(result.says("WARN the machine was not quiet: row 0: 6 SMIs, "));
    MXK_CHECK(result.says("\"conditions\":{\"smis\":6,\"max_gap_ns\":150000,\"frequency\":{\"n\":3,\"median\":0.75"));
    MXK_CHECK(result.says("\"throttled\":[\"power limit\"],"));
    MXK_CHECK(result.says("\"quiet\":false,\"not_quiet\":\"6 SMIs, "));
}

MXK_TEST(bench_frame, warm_up_and_other_rows_are_not_blamed) {
    Recorder recorder(1);
    Measured const result =
        measured(recorder, {.repeat = 2, .warm_up = 3}, counters::pretended(1, arch::Throttling::Thermal));
    MXK_CHECK(result.says("  disturbed by 2 SMIs, throttled: temperature\n"));
}

MXK_TEST(bench_frame, what_the_host_has_done_to_a_run_is_said_with_the_row) {
    struct Planted {
        arch::RunEvidence evidence;
        std::string_view said;
    };
    Planted planted[] = {{clean, "3.0 % of the time a core had no processor"},
                         {clean, "2.5 % of the time a processor was the hypervisor's"},
                         {clean, "40.0 % of the time the system was short of memory"},
                         {clean, "4 times on another processor than the core's"},
                         {clean, "2 times stopped by a signal"}};
    planted[0].evidence.waited = 0.03;
    planted[1].evidence.stolen = 0.025;
    planted[2].evidence.memory_stall = 0.4;
    planted[3].evidence.moved = 2; // in each of two runs
    planted[4].evidence.stopped = 1;
    for (Planted const& each : planted) {
        evidence = each.evidence;
        Recorder recorder(1);
        Measured const result = measured(recorder, {.repeat = 2, .json = true});
        FixedText<200> wanted;
        format(wanted, "WARN the machine was not quiet: row 0: {}\n", each.said);
        MXK_CHECK(result.says(wanted.view()));
        wanted.clear();
        format(wanted, "\"quiet\":false,\"not_quiet\":\"{}\"", each.said);
        MXK_CHECK(result.says(wanted.view()));
    }
    evidence = clean;
    Recorder recorder(1);
    Measured const result = measured(recorder, {.repeat = 1, .json = true});
    MXK_CHECK(
        result.says("\"waited\":0.001,\"stolen\":0,\"memory_stall\":0,\"switches\":3,\"moved\":0,\"stopped\":0}"));
    MXK_CHECK(result.says("\"quiet\":true") && !result.says("disturbed by") && !result.says("WARN"));
}

// Of each run in turn: 'q' quiet, 'd' disturbed; all that follow are as the last one.
constinit std::string_view planted_runs{};
constinit std::size_t planted_at = 0;

CounterSource with_planted_runs(std::string_view runs) {
    planted_runs = runs;
    planted_at = 0;
    CounterSource source = without_counters();
    source.run_ends = [] {
        arch::RunEvidence found = clean;
        if (planted_runs[std::min(planted_at, planted_runs.size() - 1)] == 'd') found.waited = 0.5;
        ++planted_at;
        return found;
    };
    return source;
}

MXK_TEST(bench_frame, of_three_quiet_runs_and_more_the_disturbed_ones_do_not_count) {
    Recorder recorder(1);
    recorder.slow_from = 3;
    Measured const result = measured(recorder, {.repeat = 5, .json = true}, with_planted_runs("qqqdd"));
    MXK_CHECK(recorder.runs.view() == "00000");
    MXK_CHECK(result.says("  2 of 5 runs were disturbed and do not count\n"));
    MXK_CHECK(result.says("\"n\":3,") && result.says("\"disturbed_runs\":2,") && result.says("\"quiet\":true"));
    MXK_CHECK(!result.says("WARN"));
    Recorder other(1);
    Measured const noisy = measured(other, {.repeat = 5, .json = true}, with_planted_runs("qqddd"));
    MXK_CHECK(noisy.says("\"n\":5,") && noisy.says("\"disturbed_runs\":0,") && noisy.says("\"quiet\":false"));
}

MXK_TEST(bench_frame, repeat_auto_ends_with_three_quiet_runs_that_agree) {
    auto const runs_of = [](std::string_view planted, std::size_t slow_from) {
        Recorder recorder(1);
        recorder.slow_from = slow_from;
        MXK_CHECK(measured(recorder, {.repeat = Repeat::automatic()}, with_planted_runs(planted)).outcome ==
                  console::Outcome::Ok);
        return recorder.count;
    };
    MXK_CHECK(runs_of("q", Recorder::never) == 3);
    MXK_CHECK(runs_of("dqdqq", Recorder::never) == 5);
    MXK_CHECK(runs_of("qqd", Recorder::never) == Repeat::max_auto);
    std::size_t const unlike = runs_of("q", 2); // 100, 100, 200, 200, ...
    MXK_CHECK(unlike > 10 && unlike < Repeat::max_auto);
}

MXK_TEST(bench_frame, repeat_auto_of_several_configurations_goes_on_with_those_that_need_more) {
    Recorder recorder(2);
    // Rounds: 01, 10, 01; the first run of configuration 0 was disturbed. Then 0 again, and for the drift.
    Measured const result =
        measured(recorder, {.repeat = Repeat::automatic(), .json = true}, with_planted_runs("dqqqqqqqqq"));
    MXK_CHECK(recorder.runs.view() == "01"
                                      "10"
                                      "01"
                                      "0"
                                      "000");
    MXK_CHECK(result.says("  1 of 4 runs were disturbed and do not count\n"));
}

MXK_TEST(bench_frame, repeat_auto_ends_when_its_time_is_over) {
    Recorder recorder(1);
    recorder.spends = clock::to_cycles(Nanoseconds{30'000'000});
    Measured const result = measured(recorder, {.repeat = Repeat::automatic(1)}, with_planted_runs("d"));
    MXK_CHECK(recorder.count > 1 && recorder.count <= 34);
    MXK_CHECK(result.says("disturbed by 50.0 % of the time a core had no processor"));
}

MXK_TEST(bench_frame, a_machine_that_counts_nothing_is_not_called_quiet) {
    evidence = {};
    Recorder recorder(1);
    Measured const result = measured(recorder, {.repeat = 2, .json = true});
    evidence = clean;
    MXK_CHECK(result.says("\"conditions\":{\"smis\":null,\"max_gap_ns\":null,\"frequency\":null,\"throttled\":null,"
                          "\"waited\":null,"));
    MXK_CHECK(result.says("\"quiet\":null") && !result.says("disturbed by"));
    MXK_CHECK(result.says("whether the machine was quiet is not known"));
}

// Phases whose parts count 100 events of each kind more than those of the one before, on a machine that has all kinds
// but misses of the third level.
namespace events {

std::atomic<std::uint64_t> counted{0};

class Phases final : public Experiment {
  public:
    [[nodiscard]] Unit unit() const override { return Unit::CyclesPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return 1; }
    [[nodiscard]] std::size_t phases() const override { return 3; }
    Result<void> run(std::size_t, std::span<Sample> samples, Progress&) override {
        ++runs;
        for (std::size_t part = 0; part < parts; ++part) {
            measured_part_begins();
            measured_part_begins(); // within the first one
            counted += 100 * (part / 2 + 1);
            measured_part_ends();
            measured_part_ends();
            counted += 7; // outside of any
        }
        if (left_open) measured_part_begins();
        for (Sample& sample : samples) sample = {.value = 1, .operations = 50, .verified = true};
        samples[1].operations = 0; // this phase does not exist here
        return {};
    }
    void print_head(TextSink&) const override {}
    void print_label_heading(TextSink&) const override {}
    void print_label(TextSink&, Row const&) const override {}
    void print_title(TextSink&, Row const&) const override {}
    void write_settings(JsonWriter&, Row const&) const override {}

    std::size_t parts = 4;
    bool left_open = false;
    std::size_t runs = 0;
};

// Rows have all warnings of the machine.
using Said = FixedText<32'000>;
constinit Said said{};

Said const& said_of(Phases& phases, bool counters) {
    said.clear();
    console::Invocation invocation(said);
    set_counter_source(without_counters());
    set_event_source({.why_not_counted = [](arch::Event event) -> std::optional<Error> {
                          if (event == arch::Event::L3Misses || event == arch::Event::RemoteLines)
                              return Error("a planted reason");
                          return std::nullopt;
                      },
                      .read =
                          [] {
                              arch::EventReading reading;
                              reading.counts.fill(counted);
                              return reading;
                          },
                      .between =
                          [](arch::EventReading const& first, arch::EventReading const& last) {
                              arch::EventCounts counts;
                              for (std::size_t i = 0; i < counts.size(); ++i)
                                  if (i != static_cast<std::size_t>(arch::Event::L3Misses))
                                      counts[i] = last.counts[i] - first.counts[i];
                              return counts;
                          }});
    RunOptions options{.repeat = 3, .json = true};
    options.counters = counters;
    (void)measure(invocation, "phases", phases, options);
    set_event_source({});
    set_counter_source({});
    return said;
}

bool has(Said const& text_of, std::string_view text) {
    return text_of.view().find(text) != std::string_view::npos;
}

} // namespace events

MXK_TEST(bench_frame, what_is_counted_is_of_the_phase_and_per_operation) {
    events::Phases phases;
    auto const& said = events::said_of(phases, true);
    MXK_CHECK(events::has(said, "  per operation: 4.000 cycles, 4.000 instructions, 4.000 L2 misses, 4.000 remote"));
    MXK_CHECK(events::has(said, "  per operation: 8.000 cycles, 8.000 instructions, "));
    MXK_CHECK(events::has(said, "\nnot counted: L3 misses, remote lines: a planted reason\n"));
    MXK_CHECK(events::has(said, "\"counters\":{\"per\":\"operation\",\"cycles\":8,\"instructions\":8,\"l2_misses\":8,"
                                "\"l3_misses\":null,\"remote_lines\":8,"));
    MXK_CHECK(events::has(said, "\"not_counted\":\"L3 misses, remote lines: a planted reason\"}"));
}

MXK_TEST(bench_frame, a_part_that_was_left_open_is_of_no_other_run) {
    events::Phases phases;
    phases.left_open = true;
    auto const& said = events::said_of(phases, true);
    MXK_CHECK(phases.runs == 3 && events::has(said, "\"cycles\":4,") && events::has(said, "\"cycles\":8,"));
}

MXK_TEST(bench_frame, parts_that_do_not_tell_phases_apart_count_nothing) {
    events::Phases phases;
    phases.parts = 3;
    auto const& said = events::said_of(phases, true);
    MXK_CHECK(!events::has(said, "per operation: ") && events::has(said, "\"cycles\":null"));
    events::Phases others;
    auto const& without = events::said_of(others, false); // nobody has asked
    MXK_CHECK(!events::has(without, "\"counters\":") && !events::has(without, "per operation: "));
}

MXK_TEST(bench_frame, a_row_that_is_not_verified_fails) {
    Recorder recorder(3);
    recorder.wrong = 1;
    Measured const result = measured(recorder, {.repeat = 2});
    MXK_CHECK(result.outcome == console::Outcome::Failed);
    MXK_CHECK(result.says("verification failed: a planted fault"));
}

MXK_TEST(bench_frame, a_rate_of_no_operations_is_none) {
    Recorder recorder(1);
    recorder.rates = true;
    MXK_CHECK(measured(recorder, {.repeat = 2}).outcome == console::Outcome::Ok);
    recorder.operations = 0;
    Measured const result = measured(recorder, {.repeat = 2, .json = true});
    MXK_CHECK(result.outcome == console::Outcome::Failed);
    MXK_CHECK(result.says("nothing was measured: expected operations, got none"));
    MXK_CHECK(!result.says("nan") && !result.says("\"verified\":true"));
}

MXK_TEST(bench_frame, an_error_ends_all_or_one_configuration) {
    Recorder recorder(3);
    recorder.failing = 1;
    MXK_CHECK(measured(recorder, {.repeat = 2}).outcome == console::Outcome::Failed);
    MXK_CHECK(recorder.runs.view() == "01");
    Recorder other(3);
    other.failing = 1;
    other.continues = true;
    Measured const result = measured(other, {.repeat = 2});
    MXK_CHECK(result.outcome == console::Outcome::Failed);
    MXK_CHECK(other.runs.view() == "012"
                                   "20"
                                   "00"); // it is not tried again
    MXK_CHECK(result.says("row 1 failed: a planted error\n"));
}

// A grid of two systems, with and without others, and three sizes: how long each takes is size by system.
enum class Mode : std::uint8_t { Alone, Together };
constexpr auto value_names(Mode) {
    return std::array{console::NamedValue{Mode::Alone, "alone"}, console::NamedValue{Mode::Together, "together"}};
}

constexpr std::array grid_claims{
    Claim{.statement = "slow takes twice as long, or more",
          .bound = Bound::from(2),
          .left = {.of = "slow"},
          .right = {.of = "fast"}},
    Claim{.statement = "slow takes 2.5 times as long as the best, or less",
          .bound = Bound::up_to(2.5),
          .left = {.of = "slow"},
          .right = {.of = "slow,fast"}},
    Claim{.statement = "nothing is lost",
          .bound = Bound::exactly(0, Bound::As::Count),
          .left = {.of = "fast", .finding = "lost"}},
    Claim{.statement = "nobody is measured so",
          .bound = Bound::from(1),
          .left = {.of = "fast"},
          .right = {.of = "other"}},
    Claim{.statement = "is not judged on one core",
          .bound = Bound::between(0.5, 3),
          .left = {.of = "slow"},
          .right = {.of = "fast"},
          .on = Claim::On::LastSet,
          .takes_others = true},
};

class GridOfThree final : public GridExperiment {
  public:
    Result<void> set_up() override {
        add(Axis::of("system", 6, systems_));
        add(Axis::chosen("mode", 8, modes_));
        topology::CoreSets one;
        one.add({.numbers = {1}, .text = "1"});
        MXK_TRY(add_cores(one));
        add(Axis::of("bytes", 5, sizes_));
        nest({2, 3, 0, 1});
        add(std::span<Claim const>(grid_claims));
        return {};
    }
    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress&) override {
        format(ran, "{}{}{} ", name_at(0, point[0]).substr(0, 1), point[1], sizes_[point[3]]);
        double const factor = point[0] == 0 ? 1 : point[3] == 0 ? 2 : 3;
        samples[0] = {.value = factor * sizes_[point[3]], .operations = 1, .verified = true};
        samples[0].findings.add("lost", 0);
        return {};
    }
    void print_head(TextSink&) const override {}
    void write_options(JsonWriter& json, Point const& point) const override { json.field("seed", point[3]); }

    FixedText<256> ran{};

  private:
    std::array<std::string_view, 2> systems_{"fast", "slow"};
    NameSet<Mode> modes_ = or_all(NameSet<Mode>{});
    std::array<std::uint32_t, 3> const sizes_{16, 32, 64};
};

MXK_TEST(bench_grid, an_experiment_runs_at_each_point_and_says_where_it_was) {
    GridOfThree grid;
    MXK_CHECK(grid.set_up().ok());
    static FixedText<131072> said; // rows of many cores are long
    said.clear();
    console::Invocation invocation(said);
    MXK_CHECK(measure(invocation, "three", grid, {.json = true}) == console::Outcome::Ok);
    MXK_CHECK(grid.configurations() == 12);
    MXK_CHECK(grid.ran.view() == "f016 f116 s016 s116 f032 f132 s032 s132 f064 f164 s064 s164 f016 ");
    for (std::size_t at = 0; at < grid.configurations(); ++at)
        MXK_CHECK(grid.configuration_of(grid.point_of(at)) == at);
    auto const says = [&](std::string_view text) { return said.view().find(text) != std::string_view::npos; };
    MXK_CHECK(says("system mode      cores bytes "));
    MXK_CHECK(says("\nslow   together      1    64 "));
    MXK_CHECK(says("fast, alone, 1 cores, 16 bytes again at the end"));
    MXK_CHECK(
        says("{\"benchmark\":\"three\",\"system\":\"slow\",\"mode\":\"alone\",\"bytes\":32,\"seed\":1,\"cores\":1,"
             "\"core_set\":\"1\",\"core_ids\":[0],"));
}

MXK_TEST(bench_grid, claims_are_judged_by_their_worst_point) {
    GridOfThree grid;
    MXK_CHECK(grid.set_up().ok());
    static FixedText<131072> said; // rows of many cores are long
    said.clear();
    console::Invocation invocation(said);
    MXK_CHECK(measure(invocation, "three", grid, {.json = true}) == console::Outcome::Ok);
    MXK_CHECK(!said.full());
    MXK_CHECK(grid.conclusions() == 4); // nobody has measured "other"
    auto const says = [&](std::string_view text) { return said.view().find(text) != std::string_view::npos; };
    MXK_CHECK(says("\"wanted\":\">= 2.00\",\"measured\":\"2.00 (1 cores)\",\"holds\":true"));
    MXK_CHECK(says("\"wanted\":\"<= 2.50\",\"measured\":\"3.00 (1 cores)\",\"holds\":false"));
    MXK_CHECK(says("\"wanted\":\"0\",\"measured\":\"0 (1 cores)\",\"holds\":true"));
    MXK_CHECK(says("\"wanted\":\"0.50 to 3.00\",\"measured\":\"3.00 (1 cores)\",\"holds\":null"));
}

} // namespace
} // namespace mxk::bench
