// The layouts and engines that there are, by what is linked into the program.
#include "bench/table/engine.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"

namespace mxk::bench {
namespace {

// All layouts, each once, by their ranks and names.
template <typename Visit> void for_each_layout(Visit visit) {
    TableLayout const* last = nullptr;
    auto const is_before = [](TableLayout const& a, TableLayout const& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.name < b.name;
    };
    for (;;) {
        TableLayout const* next = nullptr;
        for (EngineKind const* const kind : registered_engines()) {
            if (last != nullptr && !is_before(*last, kind->layout)) continue;
            if (next == nullptr || is_before(kind->layout, *next)) next = &kind->layout;
        }
        if (next == nullptr) return;
        visit(Layout{next->name});
        last = next;
    }
}

bool is_any(EngineKind const&) {
    return true;
}

} // namespace

bool has_engine(Layout const& layout, bool (*is_so)(EngineKind const& kind)) {
    return std::ranges::any_of(registered_engines(),
                               [&](auto* kind) { return kind->layout.name == layout.name && is_so(*kind); });
}

void print_layouts(TextSink& out, bool (*is_so)(EngineKind const& kind), std::string_view last) {
    std::size_t left = 0;
    for_each_layout([&](Layout const& layout) { left += has_engine(layout, is_so) ? 1U : 0U; });
    for_each_layout([&](Layout const& layout) {
        if (!has_engine(layout, is_so)) return;
        --left;
        format(out, "{}{}", layout.name, left == 0 ? "" : left == 1 ? last : last == "|" ? "|" : ", ");
    });
}

Result<void> parse_value(std::string_view text, Layout& layout) {
    for (EngineKind const* const kind : registered_engines()) {
        if (kind->layout.name != text) continue;
        layout.name = kind->layout.name;
        return {};
    }
    FixedText<192> all;
    print_layouts(all, &is_any, ", ");
    return Error::of("expected one of {}, got '{}'", all.view(), text);
}
void print_value(TextSink& out, Layout const& layout) {
    out.write(layout.name);
}
void describe_value(TextSink& out, Layout const&) {
    print_layouts(out, &is_any, "|");
}
void complete_value(console::Candidates& candidates, Layout const&) {
    for_each_layout([&](Layout const& layout) { candidates.offer(layout.name); });
}

Result<std::size_t> count_buckets(TableRun const& run, std::size_t min) {
    double const wanted = run.buckets.value_or(run.kind->layout.default_buckets) * static_cast<double>(run.operations);
    auto const buckets = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
    if (buckets < min)
        return Error::of("--buckets: expected no less than one bucket for each of {} cores, got {} for {} operations",
                         min, buckets, run.operations);
    return buckets;
}

} // namespace mxk::bench
