// Links of a concurrent table's chains: a pointer with two mark bits, which are changed together by one
// compare-exchange (Harris, "A Pragmatic Implementation of Non-Blocking Linked-Lists", DISC 2001). What the bits mean
// depends on where the link is:
//
//     bits | in a node          | in a head of the current block | in a head of the next block
//     00   | normal             | valid                          | valid
//     01   | DELETED, for good  | FROZEN: its chain is moved now | never
//     10   | JOINT: see below   | never                          | JOINT: the lower half is empty
//     11   | DELETED and JOINT  | INVALID: see the next block    | INVALID: not filled yet
//
// A mark says something about the node that the link is in, never about the node that it points to. JOINT has two
// meanings, of which a node in a chain can only have one (chains.hpp, Mode): of the first node of an upper half that
// two chains lead to, that it must not be unlinked; of the last node of a lower half, that the chain is to be cut
// behind it. (Hraska's concurrent hash table: JOIN and JOIN_FOLLOWS.)
#pragma once

#include <atomic>
#include <cstdint>

namespace mxk::concurrent {

struct Node;

class MarkedLink {
  public:
    static constexpr std::uintptr_t deleted = 1;
    static constexpr std::uintptr_t joint = 2;
    static constexpr std::uintptr_t frozen = 1;  // of a head
    static constexpr std::uintptr_t invalid = 3; // of a head

    constexpr MarkedLink() = default;
    MarkedLink(Node* node, std::uintptr_t marks)
        : word_(reinterpret_cast<std::uintptr_t>(node) | marks) {}

    [[nodiscard]] Node* node() const { return reinterpret_cast<Node*>(word_ & ~all_marks); }
    [[nodiscard]] std::uintptr_t marks() const { return word_ & all_marks; }
    [[nodiscard]] bool is_clean() const { return marks() == 0; }
    [[nodiscard]] bool is_deleted() const { return (word_ & deleted) != 0; }
    [[nodiscard]] bool is_joint() const { return (word_ & joint) != 0; }
    // Of a head.
    [[nodiscard]] bool is_frozen() const { return marks() == frozen; }
    [[nodiscard]] bool is_invalid() const { return marks() == invalid; }

    [[nodiscard]] MarkedLink with(std::uintptr_t marks) const { return MarkedLink(word_ | marks); }
    [[nodiscard]] MarkedLink without(std::uintptr_t marks) const { return MarkedLink(word_ & ~marks); }

    bool operator==(MarkedLink const&) const = default;

  private:
    static constexpr std::uintptr_t all_marks = 3;
    explicit MarkedLink(std::uintptr_t word)
        : word_(word) {}

    std::uintptr_t word_ = 0;
};

using AtomicLink = std::atomic<MarkedLink>;
static_assert(AtomicLink::is_always_lock_free && sizeof(AtomicLink) == 8);

// Base of what a table has in its chains. `hash`: as the table mixes it, with bit 0 clear; both are the table's from
// the insert until the node is given back, after a grace period.
struct Node {
    AtomicLink link{};
    std::uint64_t hash = 0;
};
static_assert(alignof(Node) > MarkedLink::invalid);

// The last of every chain: its hash is above all others. Nobody writes it.
inline constinit Node end_of_chains{{}, ~std::uint64_t{0}};

} // namespace mxk::concurrent
