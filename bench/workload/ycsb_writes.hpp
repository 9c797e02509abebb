// What the phase `run` of a workload of YCSB writes, so that the table can be looked at in the end. All cores work on
// all keys at once, so nobody knows beforehand which value a find will see, nor which of two writes comes last. But
// each value says for which key it was written, and by which version (instructions.hpp):
//
//     updates    the version is the number of the update among the run's instructions, counted from 1. One slice's
//                operations on a key keep their order, so that in the end a key has the last version of some slice
//     modifies   each adds 1 to the version, so that in the end it is their number: none was lost
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/result.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

class YcsbWrites {
  public:
    YcsbWrites() = default;
    // For so many keys, and as many operations: up to 2^32 - 1. Errors: no memory.
    static Result<YcsbWrites> create(std::uint64_t operations, NodeId node) {
        YcsbWrites result;
        result.writes_ = MXK_TRY(NodeArray<std::uint32_t>::create_zeroed(operations, node));
        result.max_version_ = operations;
        return result;
    }
    // Nothing is written yet, and, from begin() on, some instructions will write.
    void forget() {
        std::fill(writes_.span().begin(), writes_.span().end(), 0);
        has_begun_ = false;
    }
    void begin() { has_begun_ = max_version_ != 0; }

    // An instruction's, by its number, and back.
    static constexpr std::uint64_t version_at(std::uint64_t number) { return number + 1; }
    static constexpr std::uint64_t number_of(std::uint64_t version) { return version - 1; }
    // Of all.
    [[nodiscard]] std::uint64_t max_version() const { return max_version_; }

    // The key with this number is written once more. Any core, several at a time.
    void count(std::uint64_t number) {
        // relaxed: read when all instructions are made
        std::atomic_ref(writes_[number]).fetch_add(1, std::memory_order_relaxed);
    }

    // When all instructions are made: whether none writes, and how often a key is written.
    [[nodiscard]] bool none() const { return !has_begun_; }
    [[nodiscard]] std::uint64_t of(std::uint64_t number) const { return writes_[number]; }

  private:
    NodeArray<std::uint32_t> writes_; // by key
    std::uint64_t max_version_ = 0;
    bool has_begun_ = false;
};

} // namespace mxk::bench
