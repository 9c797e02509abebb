// Whether all that happened to a table can be explained by a map on which the operations take place one by one, each at
// a moment between its invocation and its response (linearizability: Herlihy and Wing 1990). Each key is looked at on
// its own, which comes to the same (their locality; Horn and Kroening 2015): linear_order.hpp has the search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "hashtable/batch/batch.hpp"

namespace mxk::test {

// What a modify adds to the value.
constexpr std::uint64_t modify_addend = std::uint64_t{1} << 32;

// An operation that has ended. Two overlap unless one responded before the other was invoked.
struct Event {
    Operation operation{};
    std::uint64_t key = 0;
    std::uint64_t value = 0; // written, or found; of a modify what it has found
    TableResult result{};
    std::uint64_t invoked = 0; // time stamps of clock::timestamp()
    std::uint64_t responded = 0;
    CoreId core{};
};

// Whether an insert or upsert may be Full. If so, the key is not there, before or after.
enum class FullInserts : std::uint8_t { Wrong, Allowed };

// Nothing if the table, empty at first, was linearizable. Else, for people: the first key that was not, and its
// operations up to the first whose result nothing explains.
std::optional<std::string> why_not_linearizable(std::vector<Event> const& history,
                                                FullInserts full_inserts = FullInserts::Wrong);

} // namespace mxk::test
