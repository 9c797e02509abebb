#include "tests/unit/lock_places.hpp"

#include <array>
#include <cstddef>

namespace mxk::test {

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
