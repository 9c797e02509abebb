// What the measuring frame (benchmark.hpp) asks of a benchmark. An experiment is made of its options for one
// invocation. It has a list of configurations, numbered from 0, and each configuration has the same phases (one, where
// nothing else is said). A run of a configuration gives a sample for each phase; the frame repeats runs, and makes a
// row of each phase of each configuration. How to write a benchmark: docs/bench-frame.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/frame/event_counts.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/run_conditions.hpp"
#include "bench/frame/statistics.hpp"

namespace mxk::bench {

enum class Unit : std::uint8_t { OperationsPerSecond, CyclesPerOperation, NanosecondsPerOperation, BytesPerSecond };

// What one run says about one phase.
struct Sample {
    double value = 0;                     // in the experiment's unit
    std::optional<double> p99{};          // where single operations are timed: then `value` is their median
    std::uint64_t operations = 0;         // that were measured; bytes, of BytesPerSecond
    std::uint64_t left_out = 0;           // that were made besides and are not what is measured
    std::optional<std::uint64_t> woken{}; // round trips that found a core asleep, where that can be seen
    Findings findings{};                  // other values; the same ones in each run
    bool verified = false;                // every result was the expected one
    RunConditions conditions{};           // of the run; the frame fills them in, and what is counted
    EventsPerOperation counted{};
};

// What all runs together say about one phase of one configuration.
struct Row {
    enum class State : std::uint8_t { Measured, Unsupported, Failed };

    std::size_t configuration = 0;
    std::size_t phase = 0;
    State state = State::Measured;
    std::optional<Error> reason{}; // why it is Unsupported or Failed
    Summary value{};               // of the values of the runs that count; n == 0: no run has ended yet
    std::size_t runs = 0;          // that have ended
    double spent = 0;              // seconds of them all, with what they prepared
    std::optional<double> p99{};   // the median of the runs' values, as in findings
    Findings findings{};
    std::uint64_t operations = 0; // of all runs that have ended, as the two below
    std::uint64_t left_out = 0;
    std::optional<std::uint64_t> woken{};
    bool verified = false; // in all runs
    double drift = 0;      // the first configuration's median at the end, by that at the beginning; 0: not measured
    Conditions conditions{};
    EventsPerOperation counted{}; // medians

    // Signs that the machine was not quiet, besides what disturbed the runs: the drift is beyond 10 %; the 95 %
    // interval is wider than a quarter of the median.
    [[nodiscard]] bool has_drifted() const;
    // Runs that were disturbed and do not count, since there are enough others: all but `operations`, `left_out`,
    // `woken` and `verified` is of those that do.
    [[nodiscard]] std::size_t disturbed_runs() const { return runs - value.n; }
    [[nodiscard]] bool is_wide() const;
    // Nothing is, in seconds, without the frequency of the time-stamp counter.
    [[nodiscard]] bool is_known() const { return value.median == value.median; }
    // The interval's width by the median.
    [[nodiscard]] double relative_width() const;
    // The median in nanoseconds per operation, of CyclesPerOperation.
    [[nodiscard]] double nanoseconds() const;
};

// Something that was said of a benchmark's results before, and whether it is so here.
struct Conclusion {
    std::string_view statement{};
    FixedText<64> expected{}; // where the statement holds
    FixedText<64> measured{};
    std::optional<bool> holds{}; // none: this machine, or what was chosen, cannot tell
};

// What was chosen, or could have been, but cannot be measured on this machine.
struct Skipped {
    std::string_view what;
    Error reason;
};

// All functions are called on the console's core.
class Experiment {
  public:
    Experiment(Experiment const&) = delete;
    Experiment& operator=(Experiment const&) = delete;

    [[nodiscard]] virtual Unit unit() const = 0;
    [[nodiscard]] virtual std::size_t configurations() const = 0;
    [[nodiscard]] virtual std::size_t phases() const { return 1; }

    // One run of a configuration: fills in a sample for each phase that can be measured. Waits for other cores. Errors:
    // no memory, cancelled by Ctrl-C, whatever keeps it from being measured.
    virtual Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) = 0;

    // Whether all of run() is the measured part (measured_part.hpp), as of experiments that do not mark a part of it.
    [[nodiscard]] virtual bool is_measured_as_a_whole() const { return false; }

    // The run that has just ended counts for the configuration's rows, and so does what else it found. Runs for warm-up
    // and for the drift do not.
    virtual void keep(std::size_t /*configuration*/) {}

    // Why this phase cannot be measured; none: it can. A configuration without any other phase is never run.
    [[nodiscard]] virtual std::optional<Error> unsupported(std::size_t /*configuration*/, std::size_t /*phase*/) const {
        return std::nullopt;
    }
    // What is not even a row.
    [[nodiscard]] virtual std::span<Skipped const> skipped() const { return {}; }
    // Whether other configurations are measured after a run of one has ended with an error.
    [[nodiscard]] virtual bool continues_after_failure() const { return false; }
    // Whether a row that is not verified is a result, not a failure.
    [[nodiscard]] virtual bool may_be_wrong(Row const& /*row*/) const { return false; }
    // Whether rows are a list for people. Those that are not, such as the cells of a matrix, conclude() shows.
    [[nodiscard]] virtual bool lists_rows() const { return true; }
    // Whether what else was found stands below a row, a line for each. Where not, print_details() says what people
    // need.
    [[nodiscard]] virtual bool lists_findings() const { return true; }
    // All that was measured, before JSON is written: shows it together, and warns of what it contradicts.
    virtual void conclude(TextSink& /*out*/, std::span<Row const> /*rows*/) {}
    // What has happened where a row is not verified; empty: run() has said it.
    [[nodiscard]] virtual std::string_view failure() const { return {}; }

    // Lines in front of the table.
    virtual void print_head(TextSink& out) const = 0;
    // What stands in a row to the left of what was measured, of fixed width, and its heading.
    virtual void print_label_heading(TextSink& out) const = 0;
    virtual void print_label(TextSink& out, Row const& row) const = 0;
    // A row in a sentence: "insert, 2 cores".
    virtual void print_title(TextSink& out, Row const& row) const = 0;
    // Whether rows show how much faster they are than those of configuration baseline(), and what one of their cores
    // does.
    [[nodiscard]] virtual bool has_speed_up() const { return false; }
    [[nodiscard]] virtual std::size_t baseline(std::size_t /*configuration*/) const { return 0; }
    [[nodiscard]] virtual std::size_t cores_of(Row const& /*row*/) const { return 1; }
    // What stands in the column "verified".
    virtual void print_verdict(TextSink& out, Row const& row) const { out.write(row.verified ? "yes" : "NO"); }
    // Lines below a row.
    virtual void print_details(TextSink& /*out*/, Row const& /*row*/) const {}

    // What was said of them before, judged by all rows: so many conclusions.
    [[nodiscard]] virtual std::size_t conclusions() const { return 0; }
    [[nodiscard]] virtual Conclusion conclusion(std::size_t /*at*/, std::span<Row const> /*rows*/) const { return {}; }

    // The fields of a conclusion besides what all have.
    virtual void write_conclusion(JsonWriter& /*json*/, std::size_t /*at*/) const {}

    // Fields that rows and conclusions have in common: behind "benchmark", in the object that is open.
    virtual void write_subject(JsonWriter& /*json*/) const {}
    // The fields that say what was measured, behind those.
    virtual void write_settings(JsonWriter& json, Row const& row) const = 0;
    // And what else was found.
    virtual void write_details(JsonWriter& /*json*/, Row const& /*row*/) const {}

  protected:
    Experiment() = default;
    Experiment(Experiment&&) = default;
    Experiment& operator=(Experiment&&) = default;
    ~Experiment() = default;
};

} // namespace mxk::bench
