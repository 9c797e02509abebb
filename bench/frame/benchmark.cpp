#include "bench/frame/benchmark.hpp"

#include <algorithm>

#include "bench/frame/conditions_watch.hpp"
#include "bench/frame/kept_results.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/report.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

// Of a row: where there are so many, disturbed ones do not count.
constexpr std::size_t min_quiet_runs = 3;

// Rows of configurations, and the samples that they are made of.
class Rows {
  public:
    // Room for `runs` of each of `configurations`. Errors: no memory.
    static Result<Rows> create(Experiment const& experiment, std::size_t configurations, std::size_t runs) {
        NodeId const here = Worker::current().node();
        Rows rows;
        rows.experiment_ = &experiment;
        rows.phases_ = experiment.phases();
        rows.runs_ = runs;
        std::size_t const count = configurations * rows.phases_;
        rows.rows_ = MXK_TRY(NodeVector<Row>::create(count, here));
        rows.samples_ = MXK_TRY(NodeVector<Sample>::create(count * runs, here));
        rows.values_ = MXK_TRY(NodeArray<double>::create(runs, here));
        rows.counted_ = MXK_TRY(NodeArray<Sample const*>::create(runs, here));
        for (std::size_t i = 0; i < count; ++i) {
            Row& row = rows.rows_.emplace();
            row.configuration = i / rows.phases_;
            row.phase = i % rows.phases_;
            row.reason = experiment.unsupported(row.configuration, row.phase);
            if (row.reason) row.state = Row::State::Unsupported;
        }
        for (std::size_t i = 0; i < count * runs; ++i) rows.samples_.emplace();
        return rows;
    }

    [[nodiscard]] std::span<Row> all() { return rows_.span(); }
    // The phases of one configuration.
    [[nodiscard]] std::span<Row> of(std::size_t configuration) {
        return rows_.span().subspan(configuration * phases_, phases_);
    }

    // What the row's throughput is compared with.
    [[nodiscard]] Row const& baseline(Row const& row) {
        return of(experiment_->baseline(row.configuration))[row.phase];
    }

    // Whether any phase of the configuration can still be measured.
    [[nodiscard]] bool is_measurable(std::size_t configuration) {
        auto const rows = of(configuration);
        return std::any_of(rows.begin(), rows.end(), [](Row const& row) { return row.state == Row::State::Measured; });
    }

    // Another run of a configuration, which took so long, has given these samples, a phase each.
    void add(std::size_t configuration, std::span<Sample const> samples, double seconds) {
        for (std::size_t phase = 0; phase < phases_; ++phase) {
            Row& row = of(configuration)[phase];
            if (row.state != Row::State::Measured) continue;
            samples_of(row)[row.runs++] = samples[phase];
            row.spent += seconds;
            summarise_row(row, samples_of(row).first(row.runs));
        }
    }

    void fail(std::size_t configuration, Error const& error) {
        for (Row& row : of(configuration)) {
            if (row.state != Row::State::Measured) continue;
            row.state = Row::State::Failed;
            row.verified = false;
            row.reason = error;
        }
    }

  private:
    std::span<Sample> samples_of(Row const& row) {
        return samples_.span().subspan((row.configuration * phases_ + row.phase) * runs_, runs_);
    }

    // The median of what value(sample) gives, by nearest rank.
    template <typename Value> double median_of(std::span<Sample const* const> samples, Value value) {
        for (std::size_t i = 0; i < samples.size(); ++i) values_[i] = value(*samples[i]);
        return percentile(values_.span().first(samples.size()), 50);
    }

    // Those that count: the quiet ones where there are enough, else all.
    std::span<Sample const* const> counted(std::span<Sample const> samples) {
        std::size_t quiet = 0;
        for (Sample const& sample : samples)
            if (!is_disturbed(sample.conditions)) counted_[quiet++] = &sample;
        if (quiet >= min_quiet_runs) return counted_.span().first(quiet);
        for (std::size_t i = 0; i < samples.size(); ++i) counted_[i] = &samples[i];
        return counted_.span().first(samples.size());
    }

    void summarise_row(Row& row, std::span<Sample const> all) {
        Sample const& last = all.back();
        row.operations += last.operations;
        row.left_out += last.left_out;
        if (last.woken) row.woken = row.woken.value_or(0) + *last.woken;
        row.verified = last.verified && (all.size() == 1 || row.verified);
        auto const samples = counted(all);
        if (last.p99) row.p99 = median_of(samples, [](Sample const& sample) { return sample.p99.value_or(0); });
        row.findings = {};
        for (std::size_t at = 0; at < last.findings.entries().size(); ++at)
            row.findings.add(last.findings.entries()[at].name, median_of(samples, [at](Sample const& sample) {
                                 return sample.findings.entries()[at].value;
                             }));
        for (std::size_t event = 0; event < row.counted.size(); ++event) {
            row.counted[event].reset();
            if (last.counted[event])
                row.counted[event] =
                    median_of(samples, [event](Sample const& sample) { return sample.counted[event].value_or(0); });
        }
        row.conditions = {};
        for (Sample const* const sample : samples) add_run(row.conditions, sample->conditions);
        if (last.conditions.frequency) {
            for (std::size_t i = 0; i < samples.size(); ++i) values_[i] = samples[i]->conditions.frequency.value_or(0);
            row.conditions.frequency = summarise(values_.span().first(samples.size()));
        }
        for (std::size_t i = 0; i < samples.size(); ++i) values_[i] = samples[i]->value;
        row.value = summarise(values_.span().first(samples.size()));
    }

    Experiment const* experiment_ = nullptr;
    std::size_t phases_ = 0;
    std::size_t runs_ = 0;
    NodeVector<Row> rows_;
    NodeVector<Sample> samples_;       // by row, then by run
    NodeArray<double> values_;         // of one row, while it is summarised
    NodeArray<Sample const*> counted_; // the same
};

// One invocation of a benchmark.
class Measurement {
  public:
    // `scratch`: a sample for each phase.
    Measurement(console::Invocation& invocation, Experiment& experiment, RunOptions const& options, Report& report,
                Rows& rows, std::span<Sample> scratch, ConditionsWatch& watch, EventWatch& event_watch)
        : experiment_(experiment)
        , options_(options)
        , report_(report)
        , rows_(rows)
        , scratch_(scratch)
        , watch_(watch)
        , event_watch_(event_watch)
        , progress_(invocation) {}

    // All rounds, and the first configuration again. Errors: of a run.
    Result<void> run() {
        std::size_t const configurations = experiment_.configurations();
        progress_.expect_runs(configurations * (options_.warm_up + options_.repeat.count));
        for (std::uint32_t round = 0; round < options_.warm_up; ++round)
            MXK_TRY(run_round(
                round, [](std::size_t) { return true; }, false));
        auto const has_more = [this](std::size_t configuration) { return !is_complete(configuration); };
        for (std::uint32_t round = 0; round < options_.repeat.count; ++round) MXK_TRY(run_round(round, has_more, true));
        print_complete_rows();
        return configurations > 1 ? measure_drift() : Result<void>();
    }

    // Rows that have not been printed because a run before them has failed.
    void print_remaining_rows() {
        progress_.clear();
        for (Row const& row : rows_.all().subspan(printed_)) print(row);
        printed_ = rows_.all().size();
    }

  private:
    // Each configuration once, beginning with another one in each round.
    template <typename HasMore> Result<void> run_round(std::uint32_t round, HasMore has_more, bool counts) {
        std::size_t const configurations = experiment_.configurations();
        for (std::size_t i = 0; i < configurations; ++i)
            if (std::size_t const configuration = (i + round) % configurations; has_more(configuration))
                MXK_TRY(run_once(rows_, configuration, counts));
        return {};
    }

    // Whether all runs of a configuration have been made that are to be made.
    bool is_complete(std::size_t configuration) {
        constexpr double max_spent = 60; // seconds
        if (!rows_.is_measurable(configuration)) return true;
        auto const rows = rows_.of(configuration);
        auto const measured =
            std::find_if(rows.begin(), rows.end(), [](Row const& row) { return row.state == Row::State::Measured; });
        if (measured->runs == options_.repeat.count) return true;
        if (!options_.repeat.is_auto || measured->runs == 0) return false;
        return measured->spent >= max_spent || is_time_over() ||
               std::all_of(rows.begin(), rows.end(),
                           [](Row const& row) { return row.state != Row::State::Measured || is_known_well(row); });
    }
    static bool is_known_well(Row const& row) {
        constexpr double max_width = 0.10; // 5 % to each side
        return row.value.n >= min_quiet_runs && !row.conditions.are_disturbed() && row.relative_width() <= max_width;
    }
    [[nodiscard]] bool is_time_over() const {
        return options_.repeat.seconds != 0 && seconds_of(clock::timestamp() - start_) >= options_.repeat.seconds;
    }

    Result<void> run_once(Rows& rows, std::size_t configuration, bool counts) {
        if (!rows.is_measurable(configuration)) return {};
        Cycles const start = clock::timestamp();
        progress_.next_run();
        std::fill(scratch_.begin(), scratch_.end(), Sample{});
        bool const is_part = experiment_.is_measured_as_a_whole();
        event_watch_.begin_run();
        watch_.begin_run(is_part);
        if (is_part) measured_part_begins();
        auto ended = experiment_.run(configuration, scratch_, progress_);
        if (is_part) measured_part_ends();
        if (ended) ended = expect_operations(rows.of(configuration));
        RunConditions const conditions = watch_.end_run(is_part);
        event_watch_.end_run(scratch_, experiment_.unit() == Unit::BytesPerSecond ? cache_line_bytes : 1, is_part);
        for (Sample& sample : scratch_) sample.conditions = conditions;
        if (ended) {
            if (counts) rows.add(configuration, scratch_, seconds_of(clock::timestamp() - start));
            if (counts && &rows == &rows_) experiment_.keep(configuration);
        } else {
            MXK_TRY(progress_.check());
            if (!experiment_.continues_after_failure()) return ended;
            rows.fail(configuration, ended.error());
        }
        if (&rows == &rows_) print_complete_rows();
        return {};
    }

    // A rate of nothing is no rate.
    [[nodiscard]] Result<void> expect_operations(std::span<Row const> phases) const {
        if (experiment_.unit() != Unit::OperationsPerSecond && experiment_.unit() != Unit::BytesPerSecond) return {};
        for (Row const& row : phases)
            if (row.state == Row::State::Measured && scratch_[row.phase].operations == 0)
                return Error("nothing was measured: expected operations, got none");
        return {};
    }

    // The first configuration again, as often as before.
    Result<void> measure_drift() {
        if (!rows_.is_measurable(0)) return {};
        std::size_t const runs = !options_.repeat.is_auto ? options_.repeat.count : is_time_over() ? 1 : min_quiet_runs;
        auto again = MXK_TRY(Rows::create(experiment_, 1, runs));
        progress_.expect_runs(runs);
        for (std::size_t run = 0; run < runs; ++run) MXK_TRY(run_once(again, 0, true));
        progress_.clear();
        bool verified = true;
        for (Row const& row : again.all()) {
            if (row.state != Row::State::Measured) continue;
            double const drift = row.value.median / rows_.of(0)[row.phase].value.median;
            for (Row& other : rows_.all())
                if (other.phase == row.phase) other.drift = drift;
            report_.print_drift(row, drift);
            verified = verified && (row.verified || experiment_.may_be_wrong(row));
        }
        if (!verified) return Error("the repeated first configuration failed its verification");
        return {};
    }

    // Rows whose runs have all ended, in their order.
    void print_complete_rows() {
        for (; printed_ < rows_.all().size(); ++printed_) {
            Row const& row = rows_.all()[printed_];
            if (row.state == Row::State::Measured && !is_complete(row.configuration)) return;
            progress_.clear();
            print(row);
        }
    }

    void print(Row const& row) {
        if (row.state == Row::State::Measured && row.value.n == 0) return;
        report_.print_row(row, rows_.baseline(row));
    }

    Experiment& experiment_;
    RunOptions const& options_;
    Report& report_;
    Rows& rows_;
    std::span<Sample> scratch_;
    ConditionsWatch& watch_;
    EventWatch& event_watch_;
    Progress progress_;
    std::size_t printed_ = 0; // rows
    Cycles start_ = clock::timestamp();
};

bool is_right(Experiment const& experiment, Row const& row) {
    switch (row.state) {
    case Row::State::Unsupported: return true;
    case Row::State::Failed: return false;
    case Row::State::Measured: break;
    }
    return row.value.n == 0 || row.verified || experiment.may_be_wrong(row);
}

Result<void> measure_all(console::Invocation& invocation, std::string_view name, Experiment& experiment,
                         RunOptions const& options, bool& all_right) {
    auto rows = MXK_TRY(Rows::create(experiment, experiment.configurations(), options.repeat.count));
    auto scratch = MXK_TRY(NodeVector<Sample>::create(experiment.phases(), Worker::current().node()));
    for (std::size_t i = 0; i < experiment.phases(); ++i) scratch.emplace();
    auto watch = MXK_TRY(ConditionsWatch::create());
    EventWatch event_watch;
    if (options.counters) MXK_TRY(event_watch.start());
    ResultSink out(invocation.out);
    Report report(out, name, experiment, options.counters);
    Measurement measurement(invocation, experiment, options, report, rows, scratch.span(), watch, event_watch);
    report.print_head(); // a person who sees it can end the benchmark by Ctrl-C
    auto const measured = measurement.run();
    measurement.print_remaining_rows();
    experiment.conclude(out, rows.all());
    report.print_end(rows.all());
    report.print_conclusions(rows.all());
    if (options.json)
        for (Row const& row : rows.all()) report.write_json(row, rows.baseline(row));
    if (options.json) report.write_conclusions(rows.all());
    all_right =
        std::all_of(rows.all().begin(), rows.all().end(), [&](Row const& row) { return is_right(experiment, row); });
    return measured;
}

constinit ExperimentTaker* taker = nullptr;

} // namespace

ExperimentTaker*& ExperimentTaker::current() {
    return taker;
}

console::Outcome measure(console::Invocation& invocation, std::string_view name, Experiment& experiment,
                         RunOptions const& options) {
    if (ExperimentTaker::current() != nullptr) {
        ExperimentTaker::current()->take(experiment);
        return console::Outcome::Ok;
    }
    bool all_right = false;
    auto const measured = measure_all(invocation, name, experiment, options, all_right);
    if (!measured) return invocation.fail(measured.error());
    if (all_right) return console::Outcome::Ok;
    if (experiment.failure().empty()) return console::Outcome::Failed;
    return invocation.fail(Error::of("verification failed: {} (rows marked NO)", experiment.failure()));
}

} // namespace mxk::bench
