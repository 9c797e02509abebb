#include "tests/model/places.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mxk::test {
namespace {

constexpr std::size_t max_decided = 10'000;

} // namespace

bool Places::is(Place const& place, Mutation mutation) {
    return mutant_ != nullptr && mutant_->mutation == mutation && mutant_->place.is_same(place);
}

void Places::meet(Place const& place) {
    // Constructors and destructors are alone.
    if (mutant_ == nullptr && WeakMemory::current().self() != 0 &&
        std::ranges::none_of(places_, [&](Place const& met) { return met.is_same(place); }))
        places_.push_back(place);
}

WeakMemory::Access Places::access(void const* where, Place const& place) {
    meet(place);
    decided_ = 0;
    bool const is_relaxed = is(place, Mutation::Relaxed);
    bool const is_total = place.is_total() && !is(place, Mutation::NoTotal) && !is_relaxed;
    bool const acquires = !is(place, Mutation::NoAcquire) && !is_relaxed;
    return {.where = where,
            .from = place.from,
            .acquires = place.acquires() && acquires,
            .releases = place.releases() && !is(place, Mutation::NoRelease) && !is_relaxed,
            .is_seq_cst = is_total,
            .acquires_unchanged = place.acquires(place.unchanged) && acquires,
            .is_seq_cst_unchanged = is_total && place.unchanged == std::memory_order_seq_cst};
}

// A number that is off by one.
std::uint64_t Places::changed(Place const& place, std::size_t bytes, std::uint64_t value) {
    if (place.is_number && is(place, Mutation::OneMore)) ++value;
    if (place.is_number && is(place, Mutation::OneLess)) --value;
    return bytes == sizeof value ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

std::uint64_t Places::load(void const* word, Place const& place) {
    return WeakMemory::current().read(access(word, place));
}

void Places::store(void const* word, Place const& place, std::size_t bytes, std::uint64_t value) {
    WeakMemory::Access const to = access(word, place);
    if (!is(place, Mutation::Drop)) WeakMemory::current().write(to, changed(place, bytes, value));
}

void Places::fence(Place const& place) {
    meet(place);
    if (is(place, Mutation::Drop)) return;
    WeakMemory::current().fence(is(place, Mutation::NoTotal) ? Fence::Both : place.fence, place.from);
}

void Places::fence_was_there(Place const& place) {
    WeakMemory& memory = WeakMemory::current();
    if (memory.self() == 0) return; // alone
    if (memory.last_is_update())
        memory.fence(Fence::SeqCst, place.from);
    else if (!memory.last_is_fence() && mutant_ == nullptr)
        memory.fail("a fence that a locked instruction was to be has none before it");
}

bool Places::condition(Place const& place, bool is_true) {
    WeakMemory& memory = WeakMemory::current();
    if (memory.self() == 0) return is_true;
    meet(place);
    if (++decided_ > max_decided) memory.fail("a loop without end");
    if (is(place, Mutation::Always)) return true;
    return is_true && !is(place, Mutation::Never);
}

std::string Places::name(Place const& place) {
    constexpr std::array kinds{"load", "store", "swap", "cas", "add", "fence", "condition"};
    std::string const file = file_of(place.from);
    std::string const function = function_of(place.from);
    // Counted in the order of the source.
    std::size_t all = 0;
    std::size_t before = 0;
    for (Place const& other : places_) {
        if (other.kind != place.kind || other.is_near != place.is_near || file_of(other.from) != file ||
            function_of(other.from) != function)
            continue;
        ++all;
        if (other.key() < place.key()) ++before;
    }
    std::string const kind = file.substr(0, file.find("_lock"));
    return kind.substr(0, kind.find('.')) + (place.is_near ? " of a node, " : ", ") + function + "() " +
           kinds.at(static_cast<std::size_t>(place.kind)) + (all > 1 ? " " + std::to_string(before + 1) : "");
}

std::string Places::name(Mutant const& mutant) {
    constexpr std::array mutations{"without seq_cst", "relaxed",  "without acquire",
                                   "without release", "left out", "one more",
                                   "one less",        "always",   "never"};
    return name(mutant.place) + ": " + mutations.at(static_cast<std::size_t>(mutant.mutation));
}

bool Places::is_count(Place const& place) {
    std::string const function = function_of(place.from);
    if (!place.is_number || place.kind == PlaceKind::Load) return false;
    if (place.kind == PlaceKind::Store && place.is_near && (function == "release" || function == "grant")) return true;
    return function == "count_pass" || function == "reset_count";
}

std::vector<Mutant> Places::mutants() {
    std::vector<Place> places = places_;
    std::ranges::sort(places, {}, &Place::key);
    std::vector<Mutant> result;
    for (Place const& place : places) {
        if (place.is_total()) {
            result.push_back({place, Mutation::NoTotal});
            if (place.kind != PlaceKind::Fence) result.push_back({place, Mutation::Relaxed});
        } else {
            if (place.acquires() || place.acquires(place.unchanged)) result.push_back({place, Mutation::NoAcquire});
            if (place.releases()) result.push_back({place, Mutation::NoRelease});
        }
        if (place.kind == PlaceKind::Store || place.kind == PlaceKind::Fence) result.push_back({place, Mutation::Drop});
        if (place.kind == PlaceKind::Condition) {
            result.push_back({place, Mutation::Always});
            result.push_back({place, Mutation::Never});
        }
        if (!is_count(place)) continue;
        result.push_back({place, Mutation::OneMore});
        result.push_back({place, Mutation::OneLess});
    }
    return result;
}

} // namespace mxk::test
