#include "bench/heap/heap_experiment.hpp"

#include "arch/resident_memory.hpp"
#include "base/units.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/dataflow/core_orders.hpp"

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

heap::HeapVariant HeapOptions::variant() const {
    heap::HeapVariant result{.purges = purges};
    if (returned_to == ReturnedTo::Stack) result.is_hot = [](CoreId, CoreId) { return true; };
    if (returned_to == ReturnedTo::StackOfNeighbours)
        result.is_hot = [](CoreId freed_by, CoreId owner) {
            auto const& all = system_topology().cores;
            return dataflow::shared_level(all[index(freed_by)], all[index(owner)]) <= CoreLevels::cache_levels;
        };
    return result;
}

namespace {
void set_variant(heap::HeapVariant const& variant) {
    heap::visit_each([&](CoreId, heap::CoreHeap& heap) { heap.set_variant(variant); });
}
} // namespace

Result<void> HeapExperiment::set_up() {
    if (options_.min_bytes > options_.max_bytes)
        return Error::of("expected --min up to --max {}, got {}", options_.max_bytes, options_.min_bytes);
    if (scenario_.has_one_core && options_.cores.empty()) options_.cores.add({.numbers = {1}, .text = "1"});
    options_.micro_patterns = or_all(options_.micro_patterns);
    options_.remote_patterns = or_all(options_.remote_patterns);
    options_.parts = or_all(options_.parts);
    if (scenario_.complete != nullptr) MXK_TRY(scenario_.complete(options_, trace_));
    if (options_.heaps.empty()) options_.heaps = HeapNames::all();
    auto const kinds = options_.heaps.kinds();
    if (options_.has_variant() && (kinds.size() != 1 || kinds[0]->counts == nullptr))
        return Error("expected '--heap mxk' with --returned-to and --purge: no other heap has these");
    resident_ = ResidentWatch(kinds.size() == 1);
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (kinds[i]->open != nullptr)
            if (auto const opened = kinds[i]->open(); !opened) missing_[i] = opened.error();
    add(Axis::of("heap", 10, kinds));
    MXK_TRY(add_cores(options_.cores));
    switch (scenario_.ways) {
    case HeapScenario::Ways::None: break;
    case HeapScenario::Ways::MicroPattern: add(Axis::chosen("pattern", 8, options_.micro_patterns)); break;
    case HeapScenario::Ways::RemotePattern: add(Axis::chosen("pattern", 10, options_.remote_patterns)); break;
    case HeapScenario::Ways::Part: add(Axis::chosen("part", 10, options_.parts)); break;
    }
    if (!options_.sizes.empty()) add(Axis::of("bytes", 7, options_.sizes.values()));
    if (!scenario_.programs.empty()) add(Axis::phases(Axis::of("program", 7, scenario_.programs)));
    nest_first_axis_last();
    add(scenario_.claims);
    return {};
}

Result<void> HeapExperiment::run_at(Point const& point, std::span<Sample> samples, Progress& progress) {
    if (options_.has_variant()) set_variant(options_.variant());
    auto const ran = scenario_.run(options_, {.kind = *options_.heaps.kinds()[point[0]],
                                              .cores = cores(point),
                                              .point = point,
                                              .samples = samples,
                                              .progress = progress,
                                              .resident = resident_,
                                              .trace = &trace_});
    if (options_.has_variant()) set_variant({});
    MXK_TRY(ran);
    for (Sample const& sample : samples) is_wrong_ = is_wrong_ || !sample.verified;
    if (auto const max = resident_.max()) samples[0].findings.add("resident_max_mib", *max);
    return {};
}

void HeapExperiment::conclude(TextSink& /*out*/, std::span<Row const> /*rows*/) {
    auto const kinds = options_.heaps.kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (!missing_[i] && kinds[i]->close != nullptr) kinds[i]->close();
}

std::string_view HeapExperiment::failure() const {
    return is_wrong_ ? "an object did not hold what was written to it" : std::string_view();
}

void HeapExperiment::print_head(TextSink& out) const {
    format(out, "{}: ", scenario_.name);
    scenario_.print_what(out, options_, trace_);
    format(out, "; {} runs per row\n", options_.repeat.text().view());
    for (auto const* const kind : options_.heaps.kinds())
        if (!kind->library.empty()) format(out, "{}: {}\n", kind->name, library_of(*kind).view());
}

void HeapExperiment::write_value(JsonWriter& json, std::size_t axis, std::size_t at) const {
    GridExperiment::write_value(json, axis, at);
    if (axis != 0) return;
    HeapKind const& kind = *options_.heaps.kinds()[at];
    json.field("library", kind.library.empty() ? std::string_view("none") : library_of(kind).view());
}

void HeapExperiment::write_options(JsonWriter& json, Point const& point) const {
    if (scenario_.write_what != nullptr) scenario_.write_what(json, options_, point, trace_);
    json.field("seed", options_.seed);
}

} // namespace mxk::bench
