#include "bench/table/engine.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/format.hpp"
#include "bench/frame/name_set.hpp"
#include "bench/table/model_check.hpp"

namespace mxk::bench {
namespace {

// As it would be typed, for TableOptions and EngineKind alike; without the hash.
template <typename Asked> FixedText<128> described(Asked const& asked) {
    FixedText<128> text;
    if (asked.model == Model::Tasks)
        format(text, "--layout {} --submit {} --notation {} --walk {}", name_of(asked.layout), name_of(asked.submit),
               name_of(asked.notation), name_of(asked.walk));
    else
        format(text, "--model {} --layout {}", name_of(asked.model), name_of(asked.layout));
    if (asked.probe != Probe::Local) format(text, " --probe {}", name_of(asked.probe));
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
    return kind.model == options.model && kind.layout == options.layout && kind.submit == options.submit &&
           kind.notation == options.notation && kind.walk == options.walk && kind.probe == options.probe &&
           has_growth(kind, options);
}

// Nobody has written that one.
Error no_engine(TableOptions const& options) {
    FixedText<64> hashes; // of those that there are otherwise
    for (EngineKind const* const kind : registered_engines()) {
        if (is_as_asked(*kind, options))
            format(hashes, "{}{}", hashes.view().empty() ? "" : " or ", name_of(kind->hash));
    }
    FixedText<128> got = described(options);
    if (options.initial_slots) got.append(" --initial-slots");
    if (!hashes.view().empty())
        return Error::of("--hash {}: expected {} with {}", name_of(*options.hash), hashes.view(), got.view());
    print_hash(got, options.hash);
    return Error::of("expected a combination that 'help bench table' lists, got {}", got.view());
}

// Measured where it is home again, in what travels: there must be room for it.
bool has_latency(TableOptions const& options) {
    return options.submit == Submit::Batch ||
           (options.notation == Notation::Function && options.walk == Walk::Whole && options.probe == Probe::Local);
}

// The options that say how large a table begins.
Result<void> check_size(EngineKind const& kind, TableOptions const& options) {
    if (options.load && options.initial_slots)
        return Error("--load: expected a table that begins large enough, got --initial-slots, too");
    if (kind.growth == Growth::Never && options.load)
        return Error::of("--load: expected --layout open or cuckoo, which have slots, got --layout {} (try --buckets)",
                         name_of(options.layout));
    if (kind.growth != Growth::Never && options.buckets)
        return Error("--buckets: expected a table of a fixed number of buckets, got one that grows (try --load or "
                     "--initial-slots)");
    if (kind.growth == Growth::Never && !options.owners.empty())
        return Error("--owners: expected a table of partitions, whose owners can change (--layout open or cuckoo, or "
                     "--initial-slots)");
    return {};
}

Result<void> check(TableOptions const& options) {
    MXK_TRY(check_model(options));
    if (options.walk == Walk::Interleaved && options.layout != Layout::Chained)
        return Error::of("--walk interleaved: expected --layout chained, which has chains to walk, got --layout {}",
                         name_of(options.layout));
    if (options.notation == Notation::Coroutine && options.submit != Submit::Task)
        return Error::of("--notation coroutine: expected --submit task, since it is how a task is written, got "
                         "--submit {}",
                         name_of(options.submit));
    if (options.latency && !has_latency(options))
        return Error("--latency: expected --submit batch, or --notation function, --walk whole and --probe local");
    if (options.probe == Probe::Travel && options.layout != Layout::Open)
        return Error::of("--probe travel: expected --layout open, which probes, got --layout {}",
                         name_of(options.layout));
    return {};
}

} // namespace

Result<EngineKind const*> choose_engine(TableOptions const& options) {
    MXK_TRY(check(options));
    EngineKind const* chosen = nullptr;
    for (EngineKind const* const kind : registered_engines()) {
        if (!is_as_asked(*kind, options)) continue;
        if (options.hash ? kind->hash == *options.hash : chosen == nullptr || kind->hash < chosen->hash) chosen = kind;
    }
    if (chosen == nullptr) return no_engine(options);
    MXK_TRY(check_size(*chosen, options));
    return chosen;
}

void print_engines(TextSink& out) {
    out.write("Combinations:\n");
    for (EngineKind const* const kind : registered_engines()) {
        constexpr std::array<std::string_view, 3> growth{"", " --initial-slots COUNT", " [--initial-slots COUNT]"};
        FixedText<128> way = described(*kind);
        print_hash(way, kind->hash);
        format(out, "  {}{}\n", way.view(), growth[static_cast<std::size_t>(kind->growth)]);
    }
}

Result<std::size_t> count_buckets(TableOptions const& options, double usual, std::size_t least) {
    double const wanted = options.buckets.value_or(usual) * static_cast<double>(options.operations);
    auto const buckets = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
    if (buckets < least)
        return Error::of("--buckets: expected no less than one bucket for each of {} cores, got {} for {} operations",
                         least, buckets, options.operations);
    return buckets;
}

} // namespace mxk::bench
