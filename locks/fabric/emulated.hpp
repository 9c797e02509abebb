// Remote memory, emulated in one: each worker has a region, whose words others reach only by operations, which are
// counted. What was read is never kept: a poller of a remote word pays each time. So locks for distributed memory run
// in the kernel, and their operations can be counted. Workers of a simulation (simulated_workers.hpp) take time, too:
// an operation goes to the network card of its target's node, which serves one at a time in the order in which they
// come, and its answer goes back. So who polls a word delays all others that want something of its node. Times but the
// cards' are drawn, an eighth more or less, the same ones in each run: else workers would keep step with each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "locks/fabric/one_sided.hpp"
#include "locks/fabric/transport.hpp"

namespace mxk::locks {

// How long operations take in a simulation. By default those of the thesis' machine, 4 nodes of 28 cores with FDR14
// InfiniBand, of which the specification (4.1) gives the latency; the others are estimates.
struct EmulatedTimes {
    Nanoseconds latency{2300};     // from a node to another one; an operation goes there and back
    Nanoseconds near_latency{200}; // of one on the own node, by a library: more than a load or a store
    Nanoseconds service{400};      // of a card for an operation: 2.5 million each second
    Nanoseconds look{100};         // between two looks of a waiter at its own memory, in which it serves others
};

class Emulated final : public Transport {
  public:
    // `region_bytes`: of each.
    static Result<Emulated> create(LockTopology const& topology, std::size_t region_bytes, EmulatedTimes times);

    [[nodiscard]] bool constructs(WorkerNumber /*worker*/) const override { return !has_failed(); }
    std::uint64_t operate(Target to, WordOperation const& operation) override;
    void send(WorkerNumber to) override;
    void receive() override;
    void progress() override;
    // What an operation of the caller on memory of `to` takes, there and back, but for the operation.
    void visit(WorkerNumber to) {
        go(to);
        come_back(to);
    }
    [[nodiscard]] std::uint64_t nanoseconds() const override;

    // Any core. What is counted has been done.
    [[nodiscard]] OneSidedCounts counts_of(WorkerNumber worker) const {
        Counters const& counts = workers_[worker].counts;
        return {.home = counts.home.value(),
                .others = counts.others.value(),
                .near = counts.near.value(),
                .messages = counts.messages.value()};
    }

  private:
    // Its worker's, and read by others.
    class Counter {
      public:
        // release: pairs with value()
        void add() { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
        [[nodiscard]] std::uint64_t value() const { return count_.load(std::memory_order_acquire); }

      private:
        std::atomic<std::uint64_t> count_{0};
    };
    struct Counters {
        Counter home;
        Counter others;
        Counter near;
        Counter messages;
    };
    struct alignas(cache_line_bytes) Worker {
        explicit Worker(NodeArray<std::byte>&& its_region)
            : region(std::move(its_region)) {}
        // Of a loop that waits, which begins wherever the last one has ended: the processor is offered now and then.
        void turn();
        NodeArray<std::byte> region;
        Counters counts;
        std::uint32_t turns = 0;
        alignas(cache_line_bytes) std::atomic<std::uint32_t> messages{0};
        Nanoseconds busy_until{}; // its node's card; of a node's first worker
    };

    Emulated(std::size_t region_bytes, EmulatedTimes times)
        : Transport(region_bytes)
        , times_(times) {}

    [[nodiscard]] bool is_near(WorkerNumber worker) const;
    void go(WorkerNumber to);
    void come_back(WorkerNumber to);
    Nanoseconds draw(Nanoseconds time);

    EmulatedTimes times_;
    std::uint64_t random_state_ = 0;
    NodeVector<Worker> workers_;
    NodeVector<std::byte*> regions_;
};

} // namespace mxk::locks
