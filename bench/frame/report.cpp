#include "bench/frame/report.hpp"

#include <algorithm>
#include <array>

#include "arch/cpu.hpp"
#include "arch/machine.hpp"
#include "base/json_line.hpp"
#include "base/log.hpp"
#include "base/registry.hpp"
#include "kernel/clock.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/commands/prefetch_names.hpp"

namespace mxk::bench {
namespace {

// "low - high" in units of `unit`; "-" where one run says nothing about its spread.
FixedText<32> interval_of(Summary const& value, double unit, int digits) {
    FixedText<32> text;
    if (!value.has_confidence)
        text.append("-");
    else if (digits == 1)
        format(text, "{:.1} - {:.1}", value.confidence_low / unit, value.confidence_high / unit);
    else
        format(text, "{:.3} - {:.3}", value.confidence_low / unit, value.confidence_high / unit);
    return text;
}

double operations_per_run(Row const& row) {
    return static_cast<double>(row.operations) / static_cast<double>(row.runs);
}

void print_columns_heading(TextSink& out, Unit unit) {
    switch (unit) {
    case Unit::OperationsPerSecond:
        format(out, "{:>5} {:>10} {:>10} {:>10} {:>10} {:>21}", "runs", "seconds", "M ops/s", "min", "max",
               "95 % interval");
        return;
    case Unit::CyclesPerOperation:
        format(out, "{:>9} {:>9} {:>9} {:>19} {:>9} {:>10}", "median", "min", "max", "95 % interval", "p99", "ns");
        return;
    case Unit::NanosecondsPerOperation:
        format(out, "{:>9} {:>9} {:>9} {:>19} {:>9}", "ns", "min", "max", "95 % interval", "cycles");
        return;
    case Unit::BytesPerSecond: break;
    }
    format(out, "{:>9} {:>9} {:>9} {:>19}", "GB/s", "min", "max", "95 % interval");
}

void print_throughput(TextSink& out, Row const& row) {
    constexpr double million = 1e6;
    Summary const& value = row.value;
    format(out, "{:5} {:10.3} {:10.3} {:10.3} {:10.3} {:>21}", value.n, operations_per_run(row) / value.median,
           value.median / million, value.minimum / million, value.maximum / million,
           interval_of(value, million, 3).view());
}

void print_cycles(TextSink& out, Row const& row) {
    FixedText<16> p99("-");
    if (row.p99) {
        p99.clear();
        format(p99, "{:.1}", *row.p99);
    }
    Summary const& value = row.value;
    format(out, "{:9.1} {:9.1} {:9.1} {:>19} {:>9} {:10.1}", value.median, value.minimum, value.maximum,
           interval_of(value, 1, 1).view(), p99.view(), row.nanoseconds());
}

void print_nanoseconds(TextSink& out, Row const& row) {
    Summary const& value = row.value;
    double const cycles = value.median * static_cast<double>(clock::frequency()) / 1e9;
    format(out, "{:9.2} {:9.2} {:9.2} {:>19} {:9.1}", value.median, value.minimum, value.maximum,
           interval_of(value, 1, 3).view(), cycles);
}

void print_bandwidth(TextSink& out, Row const& row) {
    constexpr double giga = 1e9;
    Summary const& value = row.value;
    format(out, "{:9.2} {:9.2} {:9.2} {:>19}", value.median / giga, value.minimum / giga, value.maximum / giga,
           interval_of(value, giga, 3).view());
}

// The same for a terminal that has no room for all columns: without those that follow from the others, ends of
// intervals together, and at first no more than three digits behind the point.
constexpr std::array<std::string_view, 4> names_of_units{"M ops/s", "cycles", "ns", "GB/s"};
constexpr std::array<double, 4> sizes_of_units{1e6, 1, 1, 1e9};
static_assert(static_cast<std::size_t>(Unit::OperationsPerSecond) == 0 &&
              static_cast<std::size_t>(Unit::CyclesPerOperation) == 1 &&
              static_cast<std::size_t>(Unit::NanosecondsPerOperation) == 2 &&
              static_cast<std::size_t>(Unit::BytesPerSecond) == 3);

void append_short(FixedText<32>& text, double value) {
    if (value < 10)
        format(text, "{:.3}", value);
    else if (value < 100)
        format(text, "{:.2}", value);
    else if (value < 1000)
        format(text, "{:.1}", value);
    else
        format(text, "{:.0}", value);
}
FixedText<32> short_number(double value) {
    FixedText<32> text;
    append_short(text, value);
    return text;
}
FixedText<32> short_range(double low, double high) {
    FixedText<32> text;
    append_short(text, low);
    text.append(" - ");
    append_short(text, high);
    return text;
}

void print_narrow_heading(TextSink& out, Unit unit, bool has_range) {
    format(out, "{:>4} {:>8}", "runs", names_of_units[static_cast<std::size_t>(unit)]);
    if (has_range) format(out, " {:>15}", "min - max");
    format(out, " {:>15}", "95 % interval");
    if (unit == Unit::CyclesPerOperation) format(out, " {:>8}", "p99");
}

void print_narrow(TextSink& out, Row const& row, Unit unit, bool has_range) {
    double const of = sizes_of_units[static_cast<std::size_t>(unit)];
    Summary const& value = row.value;
    format(out, "{:4} {:>8}", value.n, short_number(value.median / of).view());
    if (has_range) format(out, " {:>15}", short_range(value.minimum / of, value.maximum / of).view());
    auto const confidence =
        value.has_confidence ? short_range(value.confidence_low / of, value.confidence_high / of) : FixedText<32>("-");
    format(out, " {:>15}", confidence.view());
    if (unit == Unit::CyclesPerOperation)
        format(out, " {:>8}", (row.p99 ? short_number(*row.p99) : FixedText<32>("-")).view());
}

void print_value(TextSink& out, Row const& row, Unit unit) {
    switch (unit) {
    case Unit::OperationsPerSecond: return print_throughput(out, row);
    case Unit::CyclesPerOperation: return print_cycles(out, row);
    case Unit::NanosecondsPerOperation: return print_nanoseconds(out, row);
    case Unit::BytesPerSecond: break;
    }
    print_bandwidth(out, row);
}

// The median alone.
void print_median(TextSink& out, Row const& row, Unit unit) {
    double const median = row.value.median;
    switch (unit) {
    case Unit::OperationsPerSecond: return format(out, "{:.3} M ops/s", median / 1e6);
    case Unit::CyclesPerOperation: return format(out, "{:.1} cycles", median);
    case Unit::NanosecondsPerOperation: return format(out, "{:.2} ns", median);
    case Unit::BytesPerSecond: break;
    }
    format(out, "{:.2} GB/s", median / 1e9);
}

void print_not_quiet(TextSink& out, Row const& row, bool tells_drift) {
    if (!row.is_known()) out.write("nothing is known of its time");
    if (tells_drift) format(out, "drift {:.3}, expected 0.9 to 1.1", row.drift);
    if (row.is_wide())
        format(out, "{}interval {:.0} % of the median, expected up to 25 %", tells_drift ? "; " : "",
               row.relative_width() * 100);
    if (!row.conditions.are_disturbed()) return;
    out.write(tells_drift || row.is_wide() || !row.is_known() ? "; " : "");
    print_disturbances(out, row.conditions);
}

// The machine, the build and the warnings so far, as they stand in every JSON line: a number without them says nothing.
void write_machine(JsonWriter& json) {
    arch::MachineDescription const machine = arch::describe_machine();
    topology::Topology const& topology = system_topology();
    json.begin_object("machine");
    json.field("cpu", machine.cpu);
    if (arch::timestamp_frequency_is_known())
        json.field("tsc_hz", arch::timestamp_frequency());
    else
        json.null_field("tsc_hz");
    json.field("nodes", topology.nodes.size());
    json.field("distances_known", topology.distances_are_known);
    json.field("cores", topology.cores.size());
    json.field("processors", machine.processors != 0 ? machine.processors : topology.cores.size());
    json.field("memory_bytes", topology.memory_bytes());
    json.field("hypervisor", machine.hypervisor);
    json.field("platform", machine.platform);
    json.field("pages", machine.pages);
    json.field("microcode", machine.microcode);
    json.field("mitigations", machine.mitigations);
    json.field("build", machine.build);
    if (added_entries.count != 0) json.field("loaded", added_entries.files);
    prefetching::write_plan(json);
    json.end_object();
    json.begin_array("warnings");
    for (log::Line const& line : log::warnings()) json.element(line.view());
    json.end_array();
    json.field("warning_count", log::warning_count());
}

} // namespace

bool Row::has_drifted() const {
    constexpr double max_drift = 0.10;
    return drift != 0 && (drift < 1 - max_drift || drift > 1 + max_drift);
}

double Row::relative_width() const {
    return value.has_confidence ? (value.confidence_high - value.confidence_low) / value.median : 0;
}

bool Row::is_wide() const {
    constexpr double max_width = 0.25;
    return relative_width() > max_width;
}

double Row::nanoseconds() const {
    return value.median * 1e9 / static_cast<double>(clock::frequency());
}

void Report::print_heading(TextSink& out, Columns columns) const {
    experiment_.print_label_heading(out);
    out.write(" ");
    if (columns == Columns::All)
        print_columns_heading(out, experiment_.unit());
    else
        print_narrow_heading(out, experiment_.unit(), columns == Columns::Some);
    if (experiment_.has_speed_up() && columns == Columns::All) format(out, " {:>9}", "per core");
    if (experiment_.has_speed_up()) format(out, " {:>8}", "speed-up");
    out.write("  verified\n");
}

Report::Columns Report::columns_with_room() const {
    for (Columns const some : {Columns::All, Columns::Some}) {
        FixedText<240> heading;
        print_heading(heading, some);
        if (out_.columns() == 0 || heading.view().size() - 1 <= out_.columns()) return some;
    }
    return Columns::Few;
}

void Report::print_head() {
    experiment_.print_head(out_);
    columns_ = columns_with_room();
    if (experiment_.lists_rows()) print_heading(out_, columns_);
}

void Report::print_row(Row const& row, Row const& first) const {
    if (!experiment_.lists_rows()) return;
    experiment_.print_label(out_, row);
    if (row.state != Row::State::Measured) {
        format(out_, " {}: {}\n", row.state == Row::State::Failed ? "failed" : "not supported", row.reason->message());
        return;
    }
    out_.write(" ");
    if (columns_ == Columns::All)
        print_value(out_, row, experiment_.unit());
    else
        print_narrow(out_, row, experiment_.unit(), columns_ == Columns::Some);
    if (experiment_.has_speed_up() && columns_ == Columns::All) format(out_, " {:9.3}", per_core(row) / 1e6);
    if (experiment_.has_speed_up()) format(out_, " {:8.2}", speed_up(row, first));
    out_.write("  ");
    experiment_.print_verdict(out_, row);
    out_.write("\n");
    if (experiment_.lists_findings())
        for (auto const& found : row.findings.entries()) format(out_, "  {}: {:.3}\n", found.name, found.value);
    FixedText<240> counted;
    print_events(counted, row.counted);
    if (!counted.view().empty()) format(out_, "  per {}: {}\n", counted_per(), counted.view());
    if (row.disturbed_runs() > 0)
        format(out_, "  {} of {} runs were disturbed and do not count\n", row.disturbed_runs(), row.runs);
    if (row.conditions.are_disturbed()) {
        out_.write("  disturbed by ");
        print_disturbances(out_, row.conditions);
        out_.write("\n");
    }
    if (row.woken.value_or(0) * 100 > row.operations)
        format(out_, "  {} of {} round trips found a core asleep\n", *row.woken, row.operations);
    experiment_.print_details(out_, row);
}

void Report::print_drift(Row const& again, double drift) const {
    out_.write("drift: ");
    experiment_.print_title(out_, again);
    out_.write(" again at the end: ");
    print_median(out_, again, experiment_.unit());
    format(out_, ", {:.3} of the first row\n", drift);
}

void Report::print_end(std::span<Row const> rows) const {
    for (Skipped const& skipped : experiment_.skipped())
        format(out_, "skipped: {}: {}\n", skipped.what, skipped.reason.message());
    if (counts_) {
        FixedText<400> not_counted;
        print_not_counted(not_counted);
        if (!not_counted.view().empty()) format(out_, "not counted: {}\n", not_counted.view());
    }
    for (Row const& row : rows) {
        bool const tells_drift = row.configuration == 0 && row.has_drifted(); // that of the others is the same
        if (row.is_known() && !tells_drift && !row.is_wide() && !row.conditions.are_disturbed()) continue;
        out_.write("WARN the machine was not quiet: ");
        experiment_.print_title(out_, row);
        out_.write(": ");
        print_not_quiet(out_, row, tells_drift);
        out_.write("\n");
    }
    bool const is_blind = std::any_of(rows.begin(), rows.end(), [](Row const& row) {
        return row.state == Row::State::Measured && row.value.n > 0 && !row.conditions.are_watched();
    });
    if (is_blind) out_.write("whether the machine was quiet is not known: it does not say what cores have lost\n");
}

void Report::print_conclusions(std::span<Row const> rows) const {
    if (experiment_.conclusions() == 0) return;
    format(out_, "{:<24} {:<24} {:<8} statement\n", "expected", "measured", "holds");
    for (std::size_t i = 0; i < experiment_.conclusions(); ++i) {
        Conclusion const found = experiment_.conclusion(i, rows);
        std::string_view const holds = !found.holds ? "unknown" : *found.holds ? "yes" : "NO";
        format(out_, "{:<24} {:<24} {:<8} {}\n", found.expected.view(), found.measured.view(), holds, found.statement);
    }
}

std::string_view Report::counted_per() const {
    return experiment_.unit() == Unit::BytesPerSecond ? "line of 64 bytes" : "operation";
}

double Report::per_core(Row const& row) const {
    return row.value.median / static_cast<double>(experiment_.cores_of(row));
}

double Report::speed_up(Row const& row, Row const& first) {
    return row.value.median / first.value.median;
}

void Report::write_measured(JsonWriter& json, Row const& row) const {
    switch (experiment_.unit()) {
    case Unit::OperationsPerSecond:
        json.field("seconds", operations_per_run(row) / row.value.median);
        write_summary(json, "throughput", row.value);
        break;
    case Unit::CyclesPerOperation:
        json.field("unit", "cycles");
        json.field("count", row.operations / row.runs); // per run
        write_summary(json, "cycles", row.value);
        json.field("nanoseconds", row.nanoseconds());
        break;
    case Unit::NanosecondsPerOperation:
        json.field("count", row.operations / row.runs);
        write_summary(json, "nanoseconds", row.value);
        break;
    case Unit::BytesPerSecond:
        json.field("moved_bytes", row.operations / row.runs);
        write_summary(json, "bytes_per_second", row.value);
        break;
    }
    if (row.p99 || row.left_out > 0) json.field("left_out", row.left_out);
    if (row.woken) json.field("woken", *row.woken);
    if (row.p99) json.field("p99", *row.p99);
    for (auto const& found : row.findings.entries()) json.field(found.name, found.value);
    if (row.drift > 0) json.field("drift", row.drift);
    json.field("disturbed_runs", row.disturbed_runs());
    write_conditions(json, row.conditions);
    if (counts_) write_events(json, row.counted, counted_per());
    FixedText<400> not_quiet;
    print_not_quiet(not_quiet, row, row.has_drifted());
    if (not_quiet.view().empty() && !row.conditions.are_watched())
        json.null_field("quiet");
    else
        json.field("quiet", not_quiet.view().empty());
    if (!not_quiet.view().empty()) json.field("not_quiet", not_quiet.view());
}

void Report::write_skipped(JsonWriter& json) const {
    json.begin_array("skipped");
    for (Skipped const& skipped : experiment_.skipped()) {
        FixedText<160> text;
        format(text, "{}: {}", skipped.what, skipped.reason.message());
        json.element(text.view());
    }
    json.end_array();
}

void Report::write_conclusions(std::span<Row const> rows) const {
    for (std::size_t i = 0; i < experiment_.conclusions(); ++i) {
        Conclusion const found = experiment_.conclusion(i, rows);
        JsonLine line(out_);
        JsonWriter& json = line.json();
        json.field("benchmark", benchmark_);
        experiment_.write_subject(json);
        json.field("statement", found.statement);
        json.field("wanted", found.expected.view());
        json.field("measured", found.measured.view());
        if (found.holds)
            json.field("holds", *found.holds);
        else
            json.null_field("holds");
        experiment_.write_conclusion(json, i);
        write_machine(json);
        line.end();
    }
}

void Report::write_json(Row const& row, Row const& first) const {
    if (row.state == Row::State::Measured && row.value.n == 0) return;
    JsonLine line(out_);
    JsonWriter& json = line.json();
    json.field("benchmark", benchmark_);
    experiment_.write_subject(json);
    experiment_.write_settings(json, row);
    if (row.state == Row::State::Unsupported) json.field("reason", row.reason->message());
    if (row.state == Row::State::Failed) json.field("error", row.reason->message());
    if (row.state == Row::State::Measured) write_measured(json, row);
    if (row.state == Row::State::Measured && experiment_.has_speed_up()) {
        json.field("throughput_per_core", per_core(row));
        json.field("speed_up", speed_up(row, first));
    }
    if (row.state != Row::State::Unsupported) json.field("verified", row.verified);
    if (row.state == Row::State::Measured) experiment_.write_details(json, row);
    write_skipped(json);
    write_machine(json);
    line.end();
}

} // namespace mxk::bench
