// Remote memory, emulated in one: each worker has a region, whose words others reach only by operations, which are
// counted, and delayed if the word is on another node. What was read is never kept: a poller of a remote word pays each
// time. So locks for distributed memory run in the kernel, and their operations can be counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "locks/fabric/one_sided.hpp"
#include "locks/fabric/region_space.hpp"

namespace mxk::locks {

// How long operations take.
struct EmulatedTimes {
    Cycles latency{};      // of one on another node's word
    Cycles near_latency{}; // on one of the own node, which is far from a load or a store, too, where a library moves it
    Cycles service{};      // for which one of another node keeps others of other nodes from its target's node
};

class Emulated : public RegionSpace {
  public:
    // `region_bytes`: of each.
    static Result<Emulated> create(LockTopology const& topology, std::size_t region_bytes, EmulatedTimes times) {
        Emulated emulated(topology, region_bytes, times);
        emulated.workers_ = MXK_TRY(NodeVector<Worker>::create(topology.workers(), topology.memory_of(0)));
        for (WorkerNumber i = 0; i < topology.workers(); ++i) {
            auto region = MXK_TRY(NodeArray<std::byte>::create(region_bytes, topology.memory_of(i)));
            emulated.workers_.emplace(std::move(region));
        }
        return emulated;
    }

    [[nodiscard]] LockTopology const& topology() const { return *topology_; }
    static WorkerNumber current_worker() { return static_cast<WorkerNumber>(index(arch::home_core())); }
    [[nodiscard]] static WorkerNumber self() { return current_worker(); }

    [[nodiscard]] bool constructs(WorkerNumber /*worker*/) const { return !has_failed(); }
    [[nodiscard]] std::byte* address(WorkerNumber worker, Displacement at) const {
        return workers_[worker].region.data() + at;
    }

    template <typename V> V swap(Target to, V value, std::memory_order order) {
        return on_word<V>(to, [&](std::atomic<V>& word) { return word.exchange(value, order); });
    }
    template <typename V> V cas(Target to, V expected, V desired, std::memory_order order) {
        return on_word<V>(to, [&](std::atomic<V>& word) {
            word.compare_exchange_strong(expected, desired, order, std::memory_order_relaxed);
            return expected;
        });
    }
    template <typename V> V add(Target to, V addend, std::memory_order order) {
        return on_word<V>(to, [&](std::atomic<V>& word) { return word.fetch_add(addend, order); });
    }
    template <typename V> V read(Target to, std::memory_order order) {
        return on_word<V>(to, [&](std::atomic<V>& word) { return word.load(order); });
    }
    template <typename V> void put(Target to, V value, std::memory_order order) {
        on_word<V>(to, [&](std::atomic<V>& word) {
            word.store(value, order);
            return value;
        });
    }
    template <typename V> void acc(Target to, V value, std::memory_order order) { put(to, value, order); }
    template <typename V> void acc_later(Target to, V value) { put(to, value, std::memory_order_release); }

    // An empty message. receive() waits for one from any worker.
    void send(WorkerNumber to) {
        delay(to);
        workers_[to].messages.fetch_add(1, std::memory_order_release); // pairs with receive()
        workers_[self()].counts.messages.add();
    }
    void receive() {
        Worker& own = workers_[self()];
        // acquire: pairs with send(). Only the worker takes one away.
        for (SpinWait wait; own.messages.load(std::memory_order_acquire) == 0;) wait.turn();
        own.messages.fetch_sub(1, std::memory_order_relaxed);
    }

    void progress() { workers_[self()].turn(); }
    [[nodiscard]] static std::uint64_t nanoseconds() { return raw(clock::to_nanoseconds(clock::timestamp())); }

    // Any core. What is counted has been done.
    [[nodiscard]] OneSidedCounts counts_of(WorkerNumber worker) const {
        Counters const& counts = workers_[worker].counts;
        return {.home = counts.home.value(),
                .others = counts.others.value(),
                .near = counts.near.value(),
                .messages = counts.messages.value()};
    }

    template <typename T> class Objects {
      public:
        bool reserve(std::size_t count) {
            auto room = NodeVector<T>::create(count, node_id(0));
            if (room) objects_ = std::move(room.value());
            return room.ok();
        }
        template <typename... Arguments> void emplace(Arguments&&... arguments) {
            objects_.emplace(std::forward<Arguments>(arguments)...);
        }
        T& operator[](std::size_t at) const { return objects_[at]; }

      private:
        NodeVector<T> objects_;
    };

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
        void turn() {
            if (++turns % 64 == 0)
                offer_processor();
            else
                __builtin_ia32_pause();
        }
        NodeArray<std::byte> region;
        Counters counts;
        std::uint32_t turns = 0;
        alignas(cache_line_bytes) std::atomic<std::uint32_t> messages{0};
        alignas(cache_line_bytes) std::atomic<std::uint64_t> busy_until{0}; // time stamp
    };

    Emulated(LockTopology const& topology, std::size_t region_bytes, EmulatedTimes times)
        : RegionSpace(region_bytes)
        , topology_(&topology)
        , times_(times) {}

    [[nodiscard]] bool is_near(WorkerNumber worker) const {
        return topology_->node_of(worker) == topology_->node_of(self());
    }
    void delay(WorkerNumber to) const {
        inject::point();
        bool const near = is_near(to);
        Cycles const time = near ? times_.near_latency : times_.latency;
        if (time == Cycles{} && (near || times_.service == Cycles{})) return;
        Cycles const end = (near ? clock::timestamp() : turn_at(to)) + time;
        while (clock::timestamp() < end) workers_[self()].turn();
    }
    // When the target's node is free for this operation: nodes have one network card.
    [[nodiscard]] Cycles turn_at(WorkerNumber to) const {
        Cycles const now = clock::timestamp();
        if (times_.service == Cycles{}) return now;
        WorkerNumber const card = topology_->first_of(Level::Node, topology_->node_of(to));
        std::atomic<std::uint64_t>& busy_until = workers_[card].busy_until;
        std::uint64_t before = busy_until.load(std::memory_order_relaxed);
        for (;;) {
            std::uint64_t const begin = std::max(before, raw(now));
            // relaxed: only times
            if (busy_until.compare_exchange_weak(before, begin + raw(times_.service), std::memory_order_relaxed))
                return Cycles{begin};
        }
    }
    template <typename V, typename Operation> V on_word(Target to, Operation operation) {
        delay(to.worker);
        V const result = operation(std::launder(reinterpret_cast<PlainWord<V>*>(address(to.worker, to.at)))->atomic());
        Counters& counts = workers_[self()].counts;
        (to.is_home ? counts.home : is_near(to.worker) ? counts.near : counts.others).add();
        return result;
    }

    LockTopology const* topology_;
    EmulatedTimes times_;
    NodeVector<Worker> workers_;
};

using Emu = OneSided<Emulated>;

} // namespace mxk::locks
