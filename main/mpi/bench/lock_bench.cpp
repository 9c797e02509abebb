#include "main/mpi/bench/lock_bench.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "main/mpi/kinds.hpp"

namespace mxk::mpi {
namespace {

std::size_t place_of_median(std::span<double const> values) {
    std::vector<double> sorted(values.begin(), values.end());
    auto const middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return static_cast<std::size_t>(std::find(values.begin(), values.end(), *middle) - values.begin());
}

constexpr std::array<std::string_view, 4> operations{"operations_home", "operations_others", "operations_near",
                                                     "messages"};

} // namespace

double RankBench::found(bench::Findings const& findings, std::string_view name) {
    for (auto const& entry : findings.entries())
        if (entry.name == name) return entry.value;
    return 0;
}

Result<bool> RankBench::run() {
    auto const kinds =
        MXK_TRY(options_.locks.empty() ? default_lock_kinds(session_) : lock_kinds(session_, options_.locks));
    session_.transport.set_modes({.writes_atomically = options_.conservative});
    std::vector<BenchRow> rows;
    for (auto const* const kind : kinds)
        for (std::size_t point = 0; point < points(); ++point)
            for (std::size_t phase = 0; phase < phases(); ++phase)
                rows.push_back({.kind = kind, .point = point, .phase = phase});
    std::size_t const configurations = rows.size() / phases();
    for (std::uint64_t round = 0; round < options_.repeat; ++round) {
        for (std::size_t i = 0; i < configurations; ++i) {
            std::size_t const at = (i + round) % configurations; // none is always first
            auto const its_rows = std::span(rows).subspan(at * phases(), phases());
            if (!measure(*its_rows[0].kind, its_rows[0].point, its_rows))
                return Error::of("{}: expected regions that have room for {} and its words: --region", name_,
                                 its_rows[0].kind->name);
        }
    }
    session_.transport.set_modes({});
    format(session_.out, "{}: {} ranks on {} pretended nodes, {}", name_, session_.world.ranks(), session_.nodes(),
           session_.library.version);
    print_head(session_.out);
    format(session_.out, " {:>6} {:>6} {:>6} {:>6}\n", "home", "others", "near", "msg");
    for (BenchRow& row : rows) report(row);
    return std::ranges::all_of(rows, &BenchRow::is_right);
}

void RankBench::report(BenchRow& row) {
    auto& out = session_.out;
    bench::Findings const& findings = row.findings[place_of_median(row.values)];
    bench::Summary const summary = bench::summarise(row.values);
    format(out, "{:<18} ", row.kind->name);
    print_label(out, row);
    format(out, " {:>10.0} {:>10.0} {:>10.0}", summary.median, summary.minimum, summary.maximum);
    print_more(out, summary, findings);
    for (std::string_view const name : operations) format(out, " {:>6.2}", found(findings, name));
    format(out, "{}{}\n", row.is_right ? "" : "  ", row.is_right ? "" : failure());
    if (options_.json) {
        JsonLine line(out);
        auto& json = line.json();
        json.field("benchmark", name_);
        json.field("lock", row.kind->name);
        json.field("library", "none");
        json.field("fairness", locks::name_of(row.kind->fairness));
        session_.describe(json);
        json.field("made_up", true);
        json.field("cores", session_.world.ranks());
        json.field("passes", options_.passes);
        json.field("lock_bytes", row.kind->forms.mpi.bytes);
        json.field("node_bytes", row.kind->forms.mpi.node_bytes);
        json.field("conservative", options_.conservative);
        json.field("seed", options_.seed);
        write_options(json, row);
        bench::write_summary(json, unit(), summary);
        for (auto const& entry : findings.entries()) json.field(entry.name, entry.value);
        json.field("verified", row.is_right);
        line.end();
    }
    out.flush();
}

} // namespace mxk::mpi
