// The places of a source at which it uses a shared word, or decides, as a run under the model checker meets them, and
// one of them at which something else is done than the source says: a test has to notice that, or what is there is not
// needed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <tuple>
#include <vector>

#include "tests/model/weak_memory.hpp"

namespace mxk::test {

enum class PlaceKind : std::uint8_t { Load, Store, Swap, Cas, Add, Fence, Condition };
// Orders: NoTotal makes of seq_cst what acquires and releases; Relaxed, NoAcquire and NoRelease leave that out. Words:
// a store is left out, a number is off by one. Conditions: taken for true, or for false, whatever it is.
enum class Mutation : std::uint8_t { NoTotal, Relaxed, NoAcquire, NoRelease, Drop, OneMore, OneLess, Always, Never };

struct Place {
    std::source_location from;
    bool is_near = false; // in a lock of a node
    PlaceKind kind = PlaceKind::Load;
    std::memory_order order = std::memory_order_relaxed;
    bool is_number = false;
    std::memory_order unchanged = std::memory_order_relaxed; // of a compare-exchange that finds something else
    Fence fence = Fence::None;

    [[nodiscard]] auto key() const { return std::tuple(file_of(from), from.line(), from.column(), is_near); }
    // As key() == key(), faster.
    [[nodiscard]] bool is_same(Place const& other) const {
        return from.line() == other.from.line() && from.column() == other.from.column() && is_near == other.is_near &&
               (from.file_name() == other.from.file_name() || file_of(from) == file_of(other.from));
    }
    [[nodiscard]] bool acquires() const { return acquires(order); }
    [[nodiscard]] bool releases() const {
        return kind != PlaceKind::Load && kind < PlaceKind::Fence && order != std::memory_order_relaxed &&
               order != std::memory_order_acquire;
    }
    [[nodiscard]] bool acquires(std::memory_order of) const {
        return kind != PlaceKind::Store && kind < PlaceKind::Fence && of != std::memory_order_relaxed &&
               of != std::memory_order_release;
    }
    [[nodiscard]] bool is_total() const {
        return kind < PlaceKind::Fence ? order == std::memory_order_seq_cst : fence == Fence::SeqCst;
    }
};

struct Mutant {
    Place place;
    Mutation mutation;
    [[nodiscard]] bool is_condition() const { return place.kind == PlaceKind::Condition; }
};

class Places {
  public:
    // Of this thread. None: the source as it is.
    static void set(Mutant const* mutant) { mutant_ = mutant; }
    static Mutant const* mutant() { return mutant_; }
    static void forget() { places_.clear(); }
    static std::vector<Place> const& met() { return places_; }

    // What a word of so many bytes, whose value is in the lower ones, does at a place.
    static std::uint64_t load(void const* word, Place const& place);
    static void store(void const* word, Place const& place, std::size_t bytes, std::uint64_t value);
    // `change` gives what to write in place of what is there, and whether anything is to be.
    template <typename F>
    static std::uint64_t update(void const* word, Place const& place, std::size_t bytes, F change) {
        WeakMemory::Access to = access(word, place);
        to.is_update = true;
        return WeakMemory::current().update(to, [&](std::uint64_t old) {
            WeakMemory::Change made = change(old);
            made.value = changed(place, bytes, made.value);
            return made;
        });
    }
    static void fence(Place const& place);
    // A locked instruction right before, or a fence, is that fence on x86: an error if the source has none.
    static void fence_was_there(Place const& place);
    static bool condition(Place const& place, bool is_true);

    // "acquire() swap", with a number behind where a function has several, "of a node" for locks of nodes.
    static std::string name(Place const& place);
    // Whether what is written there says how often a lock has been passed on, perhaps among other things.
    static bool is_count(Place const& place);
    // All that can be done at the places that were met. An order that is left out, and a store; a count that is wrong;
    // a condition that is none.
    static std::vector<Mutant> mutants();
    static std::string name(Mutant const& mutant);

  private:
    static void meet(Place const& place);
    static bool is(Place const& place, Mutation mutation);
    static WeakMemory::Access access(void const* where, Place const& place);
    static std::uint64_t changed(Place const& place, std::size_t bytes, std::uint64_t value);

    static inline Mutant const* mutant_ = nullptr;
    static inline std::vector<Place> places_;
    static inline std::size_t decided_ = 0; // conditions since the last access
};

} // namespace mxk::test
