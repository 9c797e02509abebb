// What the operations of a trace must come to: it is run once, in its order, on a plain map. That gives each operation
// the result that a measured run is compared with, and the keys, with their last values, that are there at the end.
//
// Tables do not hold the recorded values but value_of(key, version), where the version counts the writes to the key
// since it was inserted. So a value says which of them it was, two that wrote the same value are told apart, and what
// was recorded for it is known here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "bench/trace/trace.hpp"
#include "bench/workload/instructions.hpp"
#include "bench/workload/key_numbers.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

// Of the whole trace; `tools/mxk trace replay` finds the same numbers.
struct TraceResults {
    std::uint64_t operations = 0;
    // By kind: those that did something. Inserts and upserts of keys that were not there, others of keys that were.
    std::array<std::uint64_t, trace_format::operations.size()> done{};
    std::uint64_t seen = 0;    // sum of the recorded values that finds and modifies saw, modulo 2^64
    std::uint64_t keys = 0;    // in the table at the end
    std::uint64_t content = 0; // sum over these of key XOR value times 2^64 / phi, modulo 2^64
};

class TraceReplay {
  public:
    // A key, at the end.
    struct KeyState {
        std::uint64_t value = 0;   // as recorded
        std::uint32_t version = 0; // of a key that is there
        bool is_live = false;      // whether it is
    };

    // Needs the trace's bytes only meanwhile. Memory on `node`: some 60 bytes per operation. Errors: no memory. One
    // core; takes as long as so many operations on a map.
    static Result<TraceReplay> run(Trace const& trace, NodeId node);

    [[nodiscard]] TraceResults const& results() const { return results_; }
    // In the trace's order, with their results.
    [[nodiscard]] std::span<Instruction const> instructions() const { return instructions_.span().first(size_); }
    // All keys of the trace, in the order in which they come first, and how each ends.
    [[nodiscard]] std::span<std::uint64_t const> keys() const { return keys_.keys(); }
    // Whether there are operations that only tables of values have.
    [[nodiscard]] bool overwrites() const { return overwrites_; }
    [[nodiscard]] bool erases() const { return erases_; }
    // Whether there are keys that come again: inserts of what is there or was, or finds of what is not.
    [[nodiscard]] bool repeats() const { return repeats_; }
    // Whether there are updates or modifies of keys that are not there.
    [[nodiscard]] bool misses_writes() const { return misses_writes_; }
    // The highest version of any value; 0: none is ever overwritten.
    [[nodiscard]] std::uint64_t max_version() const { return max_version_; }
    [[nodiscard]] KeyState const& state(std::size_t key) const { return states_[key]; }

  private:
    TraceReplay(NodeArray<Instruction> instructions, KeyNumbers keys, NodeArray<KeyState> states)
        : instructions_(std::move(instructions))
        , keys_(std::move(keys))
        , states_(std::move(states)) {}

    Instruction replay(TraceRecord const& record);
    void sum_content();

    NodeArray<Instruction> instructions_;
    std::size_t size_ = 0;
    KeyNumbers keys_;
    NodeArray<KeyState> states_; // by the number of the key
    bool overwrites_ = false;
    bool erases_ = false;
    bool repeats_ = false;
    bool misses_writes_ = false;
    std::uint64_t max_version_ = 0;
    TraceResults results_;
};

} // namespace mxk::bench
