// The search for an order in which operations on one key explain their results (Wing and Gong 1993), which remembers
// what it has tried (Lowe 2017): a second way to the same operations and content leads nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tests/unit/linearizable.hpp"

namespace mxk::test {

// What a map has of the key.
struct Content {
    bool is_there = false;
    std::uint64_t value = 0; // 0 if it is not there
    bool operator==(Content const&) const = default;
};

// What the operation leaves behind, if its result is that of a map with this content; else nothing.
std::optional<Content> content_after(Event const& event, Content before, FullInserts full_inserts);

// Operations that are in an order, and what it leaves behind.
struct LinearOrder {
    std::vector<bool> has; // by index of the event
    Content content;
    bool operator==(LinearOrder const&) const = default;
};

// How far the search came in vain: `order` has all operations that responded before `culprit`, but the culprit itself
// fits into no such order. So the history up to the culprit's response is one that no map explains, and up to any
// moment before it is explained.
struct Impasse {
    std::size_t culprit;
    LinearOrder order;
};

// `events` are of one key, sorted by invocation, and respond after that. Nothing if there is an order.
std::optional<Impasse> impasse(std::span<Event const> events, FullInserts full_inserts);

} // namespace mxk::test
