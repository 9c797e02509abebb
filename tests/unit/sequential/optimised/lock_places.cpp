#include "tests/unit/lock_places.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mxk::test {

bool LockPlaces::is_same(LockPlace const& a, LockPlace const& b) {
    return a.from.line() == b.from.line() && a.from.column() == b.from.column() && a.is_near == b.is_near &&
           (a.from.file_name() == b.from.file_name() || file_of(a.from) == file_of(b.from));
}

bool LockPlaces::is(LockPlace const& place, Mutation mutation) {
    return mutant_ != nullptr && mutant_->mutation == mutation && is_same(mutant_->place, place);
}

WeakMemory::Access LockPlaces::access(void const* where, LockPlace const& place) {
    // Constructors and destructors are alone with the lock.
    if (WeakMemory::current().self() != 0 &&
        std::ranges::none_of(places_, [&](LockPlace const& met) { return is_same(met, place); }))
        places_.push_back(place);
    return {.where = where,
            .from = place.from,
            .acquires = place.acquires() && !is(place, Mutation::NoAcquire),
            .releases = place.releases() && !is(place, Mutation::NoRelease)};
}

// A number that is off by one.
std::uint64_t LockPlaces::changed(LockPlace const& place, std::size_t bytes, std::uint64_t value) {
    if (place.is_number && is(place, Mutation::OneMore)) ++value;
    if (place.is_number && is(place, Mutation::OneLess)) --value;
    return bytes == sizeof value ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

std::uint64_t LockPlaces::load(void const* word, LockPlace const& place) {
    return WeakMemory::current().read(access(word, place));
}

void LockPlaces::store(void const* word, LockPlace const& place, std::size_t bytes, std::uint64_t value) {
    WeakMemory::Access const to = access(word, place);
    if (!is(place, Mutation::Drop)) WeakMemory::current().write(to, changed(place, bytes, value));
}

std::uint64_t LockPlaces::update(void const* word, LockPlace const& place, std::size_t bytes, std::uint64_t value,
                                 std::uint64_t expected) {
    WeakMemory::Access to = access(word, place);
    to.is_update = true;
    return WeakMemory::current().update(to, [&](std::uint64_t old) {
        std::uint64_t const next = place.access == LockAccess::Add ? old + value : value;
        return WeakMemory::Change{changed(place, bytes, next), place.access != LockAccess::Cas || old == expected};
    });
}

std::string LockPlaces::name(LockPlace const& place) {
    constexpr std::array accesses{"load", "store", "swap", "cas", "add"};
    std::string const file = file_of(place.from);
    std::string const function = function_of(place.from);
    // Counted in the order of the source.
    std::size_t all = 0;
    std::size_t before = 0;
    for (LockPlace const& other : places_) {
        if (other.access != place.access || other.is_near != place.is_near || file_of(other.from) != file ||
            function_of(other.from) != function)
            continue;
        ++all;
        if (other.key() < place.key()) ++before;
    }
    std::string const kind = file.substr(0, file.find("_lock"));
    return kind.substr(0, kind.find('.')) + (place.is_near ? " of a node, " : ", ") + function + "() " +
           accesses.at(static_cast<std::size_t>(place.access)) + (all > 1 ? " " + std::to_string(before + 1) : "");
}

std::string LockPlaces::name(Mutant const& mutant) {
    constexpr std::array mutations{"without acquire", "without release", "left out", "one more", "one less"};
    return name(mutant.place) + ": " + mutations.at(static_cast<std::size_t>(mutant.mutation));
}

bool LockPlaces::is_count(LockPlace const& place) {
    std::string const function = function_of(place.from);
    if (!place.is_number || place.access == LockAccess::Load) return false;
    if (place.access == LockAccess::Store && place.is_near && (function == "release" || function == "grant"))
        return true;
    return function == "count_pass" || function == "reset_count";
}

std::vector<Mutant> LockPlaces::mutants() {
    std::vector<LockPlace> places = places_;
    std::ranges::sort(places, {}, &LockPlace::key);
    std::vector<Mutant> result;
    for (LockPlace const& place : places) {
        if (place.acquires()) result.push_back({place, Mutation::NoAcquire});
        if (place.releases()) result.push_back({place, Mutation::NoRelease});
        if (place.access == LockAccess::Store) result.push_back({place, Mutation::Drop});
        if (!is_count(place)) continue;
        result.push_back({place, Mutation::OneMore});
        result.push_back({place, Mutation::OneLess});
    }
    return result;
}

} // namespace mxk::test
