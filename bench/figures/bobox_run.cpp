#include <algorithm>
#include <utility>

#include "arch/machine.hpp"
#include "base/format.hpp"
#include "bench/figures/bobox.hpp"
#include "bench/figures/parts_experiment.hpp"
#include "bench/frame/statistics.hpp"
#include "kernel/console/command_tree.hpp"
#include "kernel/console/words.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

Estimate Estimate::of(Summary const& summary) {
    double const half = summary.has_confidence ? (summary.confidence_high - summary.confidence_low) / 2 : 0;
    return {summary.median, summary.median - half, summary.median + half};
}

std::optional<Estimate> Estimate::by(Estimate const& divisor) const {
    if (value <= 0 || divisor.value <= 0) return std::nullopt;
    double const width = (high - low) / 2 / value;
    double const other = (divisor.high - divisor.low) / 2 / divisor.value;
    double const ratio = value / divisor.value;
    double const half = ratio * square_root(width * width + other * other);
    return Estimate{ratio, std::max(ratio - half, 0.0), ratio + half};
}

std::optional<bool> Estimate::lies_in(Bound const& bound) const {
    bool const holds = bound.holds(value);
    if (holds ? bound.holds(low) && bound.holds(high) : high < bound.low || low > bound.high) return holds;
    return std::nullopt;
}

namespace {

bool is_same_but_blanks(std::string_view one, std::string_view other) {
    auto const next = [](std::string_view& text) {
        while (text.starts_with(' ')) text.remove_prefix(1);
        if (text.empty()) return '\0';
        char const first = text.front();
        text.remove_prefix(1);
        return first;
    };
    for (;;) {
        char const here = next(one);
        if (here != next(other)) return false;
        if (here == '\0') return true;
    }
}

// Whether each of `wanted` is one of those in the title, with commas between.
bool has_all(std::string_view title, std::string_view wanted) {
    bool has = true;
    for_each_name(wanted, [&](std::string_view one) {
        bool found = one.ends_with('*') && title.find('*') != title.npos;
        for_each_name(title, [&](std::string_view part) { found = found || is_same_but_blanks(part, one); });
        has = has && found;
    });
    return has;
}

class BoboxMeasurement final : public PartsExperiment, private ExperimentTaker {
  public:
    BoboxMeasurement(console::Invocation& invocation, BoboxExperiment const& experiment, BoboxOptions const& options)
        : invocation_(invocation)
        , experiment_(experiment)
        , options_(options) {
        // Boxes and allocators have not got their memory yet.
        options_.warm_up = std::max(options_.warm_up, 1U);
    }

    // Each command makes its experiment and gives it away, and is measured before it returns: so the commands run one
    // inside the other.
    Result<console::Outcome> measure_all() {
        std::size_t const count = experiment_.parts.size();
        MXK_TRY(expect_parts(count));
        words_ = MXK_TRY(NodeVector<console::Words>::create(count, Worker::current().node()));
        commands_ = MXK_TRY(NodeVector<FixedText<400>>::create(count, Worker::current().node()));
        begin_next();
        return outcome_;
    }

    void print_head(TextSink& out) const override {
        format(out, "{} of Bobox' thesis: {}\n", experiment_.number, experiment_.title);
        for (auto const& command : commands_) format(out, "  {}\n", command.view());
        PartsExperiment::print_head(out);
    }
    void write_subject(JsonWriter& json) const override {
        json.field("figure", experiment_.number);
        json.field("title", experiment_.title);
        if (options_.part != 1) json.field("part", options_.part);
    }
    [[nodiscard]] std::size_t conclusions() const override { return experiment_.statements.size(); }
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override {
        BoboxStatement const& statement = experiment_.statements[at];
        Conclusion said{.statement = statement.says};
        statement.bound.print(said.expected);
        Judged const judged = judge(statement, rows);
        if (judged.estimate) {
            print(said.measured, statement.bound, *judged.estimate);
            if (judged.missing.view().empty()) said.holds = judged.estimate->lies_in(statement.bound);
            if (!judged.missing.view().empty()) said.measured.append(", ");
        }
        said.measured.append(judged.missing.view());
        return said;
    }
    void write_conclusion(JsonWriter& json, std::size_t at) const override {
        json.field("of_speed", experiment_.statements[at].is_of_speed);
    }

  private:
    struct Judged {
        std::optional<Estimate> estimate{};
        FixedText<64> missing{}; // why nothing is said
    };

    void take(Experiment& experiment) override {
        if (is_taken_) return; // a command that measures something else, too
        is_taken_ = true;
        std::size_t const at = commands_.size() - 1;
        add(experiment_.parts[at].name, commands_[at].view(), experiment);
        begin_next();
    }
    void begin_next() {
        if (std::size_t const at = commands_.size(); at != experiment_.parts.size()) return begin(at);
        ExperimentTaker* const before = std::exchange(ExperimentTaker::current(), nullptr);
        outcome_ = measure(invocation_, "figure", *this, options_);
        ExperimentTaker::current() = before;
    }
    void begin(std::size_t at) {
        auto& command = commands_.emplace();
        print_bobox_command(command, experiment_, experiment_.parts[at], options_);
        auto& words = words_.emplace();
        FixedText<240> said;
        console::Invocation inner(said);
        is_taken_ = false;
        if (auto const split = words.split(command.view()); !split) return give_up(at, split.error().message());
        auto const found = console::find_command(words.all());
        inner.arguments = found.rest;
        ExperimentTaker::current() = this;
        found.command->run(inner);
        ExperimentTaker::current() = nullptr;
        if (is_taken_) return;
        std::string_view reason = said.view();
        if (reason.starts_with("error: ")) reason.remove_prefix(7);
        if (reason.starts_with("--")) reason.remove_prefix(reason.find(' ') + 1); // the option is the table's
        give_up(at, reason.substr(0, reason.find('\n')));
    }
    void give_up(std::size_t at, std::string_view reason) {
        skip(experiment_.parts[at].name.empty() ? experiment_.number : experiment_.parts[at].name, Error(reason));
        begin_next();
    }

    static void print(TextSink& out, Bound const& bound, Estimate const& estimate) {
        bound.print_value(out, estimate.value);
        if (estimate.low == estimate.high) return;
        out.write(" (");
        bound.print_value(out, estimate.low);
        out.write(" to ");
        bound.print_value(out, estimate.high);
        out.write(")");
    }

    // What the statement is about; and why it says nothing, where that is so.
    [[nodiscard]] Judged judge(BoboxStatement const& statement, std::span<Row const> rows) const {
        if (!experiment_.not_built.empty()) return {.missing = experiment_.not_built};
        if (statement.lacks != nullptr && !statement.lacks().empty()) return {.missing = statement.lacks()};
        if (!skipped().empty()) return {.missing = skipped()[0].reason.message().substr(0, 64)};
        Judged judged;
        judged.estimate = quotient(statement.over, statement.under, rows, judged.missing);
        if (judged.estimate && statement.other_over) {
            auto const other = quotient(*statement.other_over, statement.other_under, rows, judged.missing);
            judged.estimate = other ? judged.estimate->by(*other) : std::nullopt;
        }
        if (!judged.estimate && judged.missing.view().empty()) judged.missing.append("not measured");
        if (judged.estimate && statement.bound.as == Bound::As::Change) {
            judged.estimate->value -= 1;
            judged.estimate->low -= 1;
            judged.estimate->high -= 1;
        }
        if (judged.estimate && statement.is_of_speed && arch::describe_machine().is_emulated())
            judged.missing.append("emulated: nothing of speed");
        return judged;
    }
    std::optional<Estimate> quotient(RowChoice const& over, std::optional<RowChoice> const& under,
                                     std::span<Row const> rows, FixedText<64>& missing) const {
        auto const dividend = estimate_of(over, rows, missing);
        if (!under || !dividend) return dividend;
        auto const divisor = estimate_of(*under, rows, missing);
        return divisor ? dividend->by(*divisor) : std::nullopt;
    }
    // `missing`: why a row of them was not measured.
    std::optional<Estimate> estimate_of(RowChoice const& choice, std::span<Row const> rows,
                                        FixedText<64>& missing) const {
        std::optional<Estimate> found;
        std::string_view reason;
        std::size_t max_cores = 0;
        for (Row const& row : rows) {
            FixedText<160> title;
            Part const& part = part_of(row.configuration);
            part.experiment->print_title(title, inner(row));
            if (!choice.part.empty() && choice.part != part.name) continue;
            if (!has_all(title.view(), choice.title) || cores_of(row) < max_cores) continue;
            if (row.state != Row::State::Measured || row.value.n == 0) {
                if (row.reason) reason = row.reason->message();
                continue;
            }
            auto const value = value_of(row, choice.finding);
            if (!value) continue;
            bool const is_better = !found || cores_of(row) > max_cores ||
                                   (choice.which == RowChoice::Which::Largest && value->value > found->value) ||
                                   (choice.which == RowChoice::Which::Smallest && value->value < found->value);
            if (is_better) found = value;
            max_cores = cores_of(row);
        }
        if (!found && missing.view().empty()) missing.append(reason);
        return found;
    }
    static std::optional<Estimate> value_of(Row const& row, std::string_view finding) {
        if (finding.empty()) return Estimate::of(row.value);
        auto const value = finding_of(row, finding);
        return value ? std::optional(Estimate{*value, *value, *value}) : std::nullopt;
    }

    console::Invocation& invocation_;
    BoboxExperiment const& experiment_;
    BoboxOptions options_;
    NodeVector<FixedText<400>> commands_; // that have begun
    NodeVector<console::Words> words_;    // of those: what was typed lives as long as what is measured
    bool is_taken_ = false;               // what the latest one measures
    console::Outcome outcome_ = console::Outcome::Failed;
};

} // namespace

void print_bobox_command(TextSink& out, BoboxExperiment const& experiment, BoboxPart const& part,
                         BoboxOptions const& options) {
    format(out, "bench {}", part.command);
    if (!experiment.size_option.empty())
        format(out, " {} {}", experiment.size_option, std::max<std::uint64_t>(experiment.size / options.part, 1));
    out.write(" --cores ");
    if (!options.cores.empty())
        print_value(out, options.cores);
    else if (!experiment.cores.empty())
        out.write(experiment.cores);
    else
        format(out, "{}", workers::count());
    out.write(" --repeat ");
    print_value(out, options.repeat);
}

console::Outcome run_bobox(console::Invocation& invocation, BoboxExperiment const& experiment,
                           BoboxOptions const& options) {
    BoboxMeasurement measurement(invocation, experiment, options);
    auto const ended = measurement.measure_all();
    return ended ? ended.value() : invocation.fail(ended.error());
}

} // namespace mxk::bench
