// Remote memory, emulated in one: each worker has a region, whose words others reach only by operations, which are
// counted, and delayed if the word is on another node. What was read is never kept: a poller of a remote word pays each
// time. So locks for distributed memory run in the kernel, and their operations can be counted.
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

// How long operations take.
struct EmulatedTimes {
    Cycles latency{};      // of one on another node's word
    Cycles near_latency{}; // on one of the own node, which is far from a load or a store, too, where a library moves it
    Cycles service{};      // for which one of another node keeps others of other nodes from its target's node
};

class Emulated final : public Transport {
  public:
    // `region_bytes`: of each.
    static Result<Emulated> create(LockTopology const& topology, std::size_t region_bytes, EmulatedTimes times);

    [[nodiscard]] bool constructs(WorkerNumber /*worker*/) const override { return !has_failed(); }
    std::uint64_t operate(Target to, WordOperation const& operation) override;
    void send(WorkerNumber to) override;
    void receive() override;
    void progress() override { workers_[current_worker()].turn(); }
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
        alignas(cache_line_bytes) std::atomic<std::uint64_t> busy_until{0}; // time stamp
    };

    Emulated(std::size_t region_bytes, EmulatedTimes times)
        : Transport(region_bytes)
        , times_(times) {}

    [[nodiscard]] bool is_near(WorkerNumber worker) const;
    void delay(WorkerNumber to) const;
    [[nodiscard]] Cycles turn_at(WorkerNumber to) const;

    EmulatedTimes times_;
    NodeVector<Worker> workers_;
    NodeVector<std::byte*> regions_;
};

} // namespace mxk::locks
