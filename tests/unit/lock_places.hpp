// The places of a lock's source at which it uses a word, as a run under the model checker meets them, and one of them
// at which something else is done than the source says: a test has to notice that, or the order there is not needed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/weak_memory.hpp"

namespace mxk::test {

enum class LockAccess : std::uint8_t { Load, Store, Swap, Cas, Add };
enum class Mutation : std::uint8_t { NoAcquire, NoRelease, Drop, OneMore, OneLess };

struct LockPlace {
    std::source_location from;
    bool is_near = false; // in a lock of a node
    LockAccess access = LockAccess::Load;
    std::memory_order order = std::memory_order_relaxed;
    bool is_number = false;

    [[nodiscard]] auto key() const { return std::tuple(file_of(from), from.line(), from.column(), is_near); }
    [[nodiscard]] bool acquires() const {
        return access != LockAccess::Store && order != std::memory_order_relaxed && order != std::memory_order_release;
    }
    [[nodiscard]] bool releases() const {
        return access != LockAccess::Load && order != std::memory_order_relaxed && order != std::memory_order_acquire;
    }
};

struct Mutant {
    LockPlace place;
    Mutation mutation;
};

class LockPlaces {
  public:
    // Of this thread. None: the lock as it is.
    static void set(Mutant const* mutant) { mutant_ = mutant; }
    static void forget() { places_.clear(); }
    static std::vector<LockPlace> const& met() { return places_; }

    // What a word of so many bytes, whose value is in the lower ones, does at a place.
    static std::uint64_t load(void const* word, LockPlace const& place);
    static void store(void const* word, LockPlace const& place, std::size_t bytes, std::uint64_t value);
    static std::uint64_t update(void const* word, LockPlace const& place, std::size_t bytes, std::uint64_t value,
                                std::uint64_t expected);

    // "acquire() swap", with a number behind where a function has several, "of a node" for locks of nodes.
    static std::string name(LockPlace const& place);
    // Whether what is written there says how often a lock has been passed on, perhaps among other things.
    static bool is_count(LockPlace const& place);
    // All that can be done at the places that were met. An order that is left out, and a store; a count that is wrong.
    static std::vector<Mutant> mutants();
    static std::string name(Mutant const& mutant);

  private:
    static bool is(LockPlace const& place, Mutation mutation);
    static WeakMemory::Access access(void const* where, LockPlace const& place);
    static std::uint64_t changed(LockPlace const& place, std::size_t bytes, std::uint64_t value);
    static bool is_same(LockPlace const& a, LockPlace const& b);

    static inline Mutant const* mutant_ = nullptr;
    static inline std::vector<LockPlace> places_;
};

} // namespace mxk::test
