// A recorded trace of allocations: who allocated and freed what, in the order in which it happened. Text, a line for
// each:
//
//     mxk-heap-trace 1
//     0 a 17 48          # core 0 allocates object 17, of 48 bytes
//     1 f 17 48          # core 1 frees it
//
// Numbers are decimal, or hexadecimal with 0x; blank lines, and what stands behind a #, say nothing. An object's number
// may come again after it was freed. Objects that are not freed live to the end. What is wrong is one error, with the
// line and what was expected there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/heap/heap_bodies.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

struct HeapRun; // heap_experiment.hpp

class HeapTrace {
  public:
    static constexpr std::uint64_t max_cores = 65'536;
    static constexpr std::uint64_t max_bytes = 1ULL << 30;

    // Of its text; memory comes from `node`. Errors: what is wrong; no memory. Any core.
    static Result<HeapTrace> parse(std::string_view text, NodeId node);
    // Of a file, or a module. Errors: those, and it cannot be read.
    static Result<HeapTrace> read(std::string_view path, NodeId node);

    struct Event {
        ReplayStep step;
        std::uint32_t core; // as the trace numbers them
    };
    [[nodiscard]] std::span<Event const> events() const { return events_.span(); }
    [[nodiscard]] std::size_t allocations() const { return allocations_; }
    [[nodiscard]] std::size_t cores() const { return cores_; } // one more than the largest number
    [[nodiscard]] std::uint64_t max_live_bytes() const { return max_live_bytes_; }

  private:
    NodeVector<Event> events_;
    std::size_t allocations_ = 0;
    std::size_t cores_ = 0;
    std::uint64_t max_live_bytes_ = 0;
};

// `bench heap replay`, one run. The console's task.
Result<void> replay_trace(HeapTrace const& trace, HeapRun const& run);

} // namespace mxk::bench
