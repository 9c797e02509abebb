#include "bench/table/engine.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/format.hpp"
#include "bench/frame/names.hpp"

namespace mxk::bench {
namespace {

// Who runs operations, and how, of TableOptions and of EngineKind alike.
struct Way {
    Model model;
    Layout layout;
    Submit submit;
    Notation notation;
    Walk walk;
    Probe probe;
    std::optional<Locking> locking;

    bool operator==(Way const&) const = default;
};

Way way_of(TableOptions const& options) {
    return {options.model,
            options.layout,
            options.submit.value_or(Submit::Task),
            options.notation.value_or(Notation::Function),
            options.walk.value_or(Walk::Whole),
            options.probe.value_or(Probe::Local),
            options.locking};
}

Way way_of(EngineKind const& kind) {
    return {kind.model, kind.layout, kind.submit, kind.notation, kind.walk, kind.probe, kind.locking};
}

// As it would be typed.
FixedText<128> as_typed(Way const& way) {
    FixedText<128> text;
    if (way.model != Model::Tasks) format(text, "--model {} ", name_of(way.model));
    format(text, "--layout {}", name_of(way.layout));
    if (runs_tasks(way.model)) format(text, " --submit {}", name_of(way.submit));
    if (way.model == Model::Tasks && way.submit == Submit::Task)
        format(text, " --notation {} --walk {}", name_of(way.notation), name_of(way.walk));
    if (way.probe != Probe::Local) format(text, " --probe {}", name_of(way.probe));
    if (way.locking) format(text, " --locking {}", name_of(*way.locking));
    return text;
}

void print_hash(TextSink& out, std::optional<Hashing> hash) {
    if (hash) format(out, " --hash {}", name_of(*hash));
}

bool has_growth(EngineKind const& kind, TableOptions const& options) {
    return kind.growth == Growth::Either || (kind.growth == Growth::Always) == options.initial_slots.has_value();
}

// But for the hash.
bool is_as_asked(EngineKind const& kind, TableOptions const& options) {
    return way_of(kind) == way_of(options) && has_growth(kind, options);
}

// There is no such engine.
Error no_engine(TableOptions const& options) {
    FixedText<64> hashes; // of those that there are otherwise
    for (EngineKind const* const kind : registered_engines()) {
        if (is_as_asked(*kind, options))
            format(hashes, "{}{}", hashes.view().empty() ? "" : " or ", name_of(kind->hash));
    }
    FixedText<128> got = as_typed(way_of(options));
    if (options.initial_slots) got.append(" --initial-slots");
    if (!hashes.view().empty())
        return Error::of("--hash {}: expected {} with {}", name_of(*options.hash), hashes.view(), got.view());
    print_hash(got, options.hash);
    return Error::of("expected a combination that 'help bench table' lists, got {}", got.view());
}

// The thesis' table with the thesis' tasks (sections 3.1 and 3.2.2): a run of it is the thesis' by default.
bool is_thesis(EngineKind const& kind) {
    return way_of(kind) == way_of(TableOptions{}) && kind.growth == Growth::Never;
}

} // namespace

Result<EngineKind const*> choose_engine(TableOptions const& options) {
    MXK_TRY(check_uses(options, nullptr));
    EngineKind const* chosen = nullptr;
    for (EngineKind const* const kind : registered_engines()) {
        if (!is_as_asked(*kind, options)) continue;
        if (options.hash ? kind->hash == *options.hash : chosen == nullptr || kind->hash < chosen->hash) chosen = kind;
    }
    if (chosen == nullptr) return no_engine(options);
    MXK_TRY(check_uses(options, chosen));
    return chosen;
}

QueueKind queue_kind(TableOptions const& options, EngineKind const& kind) {
    bool const may_share = !depends_on_order(options) && !options.sweep;
    return queue_or(options, is_thesis(kind) && may_share ? QueueKind::Shared : QueueKind::NodeLocal);
}

Result<EngineKind const*> complete(TableOptions& options) {
    EngineKind const& kind = *MXK_TRY(choose_engine(options));
    options.hash = kind.hash;
    options.queue = queue_kind(options, kind);
    if (has_semaphores(options)) options.semaphore = semaphore_kind(options);
    if (is_thesis(kind) && !options.prefetch && !options.prefetch_far) options.prefetch = 0;
    MXK_TRY(check_uses(options, &kind)); // of what was filled in, too
    return &kind;
}

bool has_thesis_defaults(TableOptions const& options) {
    auto const chosen = choose_engine(options);
    return chosen.ok() && is_thesis(*chosen.value()) && options.queue == QueueKind::Shared && options.prefetch == 0U;
}

void print_engines(TextSink& out) {
    out.write("Combinations:\n");
    for (EngineKind const* const kind : registered_engines()) {
        constexpr std::array<std::string_view, 3> growth{"", " --initial-slots COUNT", " [--initial-slots COUNT]"};
        FixedText<128> way = as_typed(way_of(*kind));
        print_hash(way, kind->hash);
        format(out, "  {}{}\n", way.view(), growth[static_cast<std::size_t>(kind->growth)]);
    }
}

Result<std::size_t> count_buckets(TableOptions const& options, double per_operation, std::size_t min) {
    double const wanted = options.buckets.value_or(per_operation) * static_cast<double>(options.operations);
    auto const buckets = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
    if (buckets < min)
        return Error::of("--buckets: expected no less than one bucket for each of {} cores, got {} for {} operations",
                         min, buckets, options.operations);
    return buckets;
}

} // namespace mxk::bench
