#include "bench/heap/heap_experiment.hpp"

#include <algorithm>

#include "arch/resident_memory.hpp"
#include "base/units.hpp"

namespace mxk::bench {

void ResidentWatch::begin() {
    if (!is_wanted_ || before_) return;
    arch::forget_max_resident();
    if (auto const memory = arch::resident_memory()) before_ = memory->bytes;
}

namespace {
double mebibytes(std::size_t bytes, std::size_t before) {
    return static_cast<double>(bytes > before ? bytes - before : 0) / static_cast<double>(MiB);
}
} // namespace

std::optional<double> ResidentWatch::now() const {
    if (!before_) return std::nullopt;
    auto const memory = arch::resident_memory();
    return memory ? std::optional(mebibytes(memory->bytes, *before_)) : std::nullopt;
}

std::optional<double> ResidentWatch::max() const {
    if (!before_) return std::nullopt;
    auto const memory = arch::resident_memory();
    return memory ? std::optional(mebibytes(memory->max_bytes, *before_)) : std::nullopt;
}

heap::HeapCounts counts_of(HeapKind const& kind) {
    return kind.counts != nullptr ? kind.counts() : heap::HeapCounts{};
}

namespace {
FixedText<96> library_of(HeapKind const& kind) {
    FixedText<96> text(kind.library);
    if (kind.print_version != nullptr && (kind.open == nullptr || kind.open())) {
        text.append(" ");
        kind.print_version(text);
    }
    return text;
}
} // namespace

void print_heap_head(TextSink& out, std::span<HeapKind const* const> kinds) {
    for (auto const* const kind : kinds)
        if (!kind->library.empty()) format(out, "{}: {}\n", kind->name, library_of(*kind).view());
}

void write_heap_kind(JsonWriter& json, HeapKind const& kind) {
    json.field("heap", kind.name);
    json.field("library", kind.library.empty() ? std::string_view("none") : library_of(kind).view());
}

void HeapRatio::add(HeapClaim const& claim, Row const& ours, std::span<Row const* const> others) {
    if (ours.value.n == 0) return;
    std::optional<double> best;
    for (Row const* const row : others) {
        if (row->value.n == 0) return;
        double const median = row->value.median;
        if (!best) best = median;
        best = claim.is_time ? std::min(*best, median) : std::max(*best, median);
    }
    if (!best || *best <= 0) return;
    double const ratio = ours.value.median / *best;
    if (!worst) worst = ratio;
    worst = claim.is_time ? std::max(*worst, ratio) : std::min(*worst, ratio);
}

topology::CoreSets first_core_of(topology::CoreSets const& typed) {
    if (!typed.empty()) return typed;
    topology::CoreSets one;
    one.add({.numbers = {1}, .text = "1"});
    return one;
}

} // namespace mxk::bench
