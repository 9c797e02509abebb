// The transport of locks over MPI-3 (locks/fabric/one_sided.hpp): a worker is a rank, its region a part of the
// global window, and all locks are in it, by displacement. Each rank has an object of its own for each lock, all made
// in the same order, so that their displacements agree; what the workers of a node share is in the region of one of
// them. Operations are counted as in emulated.hpp.
//
// An order becomes MPI_Win_sync(): what is released before the operation, what is acquired after it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <type_traits>

#include "base/units.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "locks/fabric/one_sided.hpp"
#include "locks/fabric/region_space.hpp"
#include "main/mpi/rank_topology.hpp"
#include "main/mpi/world.hpp"

namespace mxk::locks {

struct MpiModes {
    bool makes_progress = true;     // waiters give MPI its turn: else others may wait for this rank without end
    bool writes_atomically = false; // put() is acc(): for memory whose plain words may be seen half written
    bool completes_later = true;    // acc_later() is complete at the next turn of a wait; else a flush may never come
};

class MpiTransport : public RegionSpace {
  public:
    // Collective: opens the world's regions.
    MpiTransport(mpi::World& world, WorkerNumber nodes, std::size_t region_bytes)
        : RegionSpace(region_bytes)
        , world_(&world)
        , topology_(world.ranks(), nodes)
        , elsewhere_(std::make_unique<Line[]>(region_bytes / cache_line_bytes)) {
        world.open_regions(nodes, region_bytes);
        rank_of_process = world.rank();
    }

    [[nodiscard]] mpi::World& world() const { return *world_; }
    [[nodiscard]] LockTopology const& topology() const { return topology_.view(); }
    static WorkerNumber current_worker() { return rank_of_process; }
    [[nodiscard]] static WorkerNumber self() { return rank_of_process; }
    void set_modes(MpiModes modes) { modes_ = modes; }

    // Collective: nobody uses the locks before, and their memory is used again.
    void forget_locks() {
        world_->barrier();
        RegionSpace::forget_locks();
    }
    [[nodiscard]] bool constructs(WorkerNumber worker) const { return !has_failed() && worker == self(); }
    // Of a worker of another node: memory that nobody looks at. Each rank makes all nodes' locks, and uses its own.
    [[nodiscard]] std::byte* address(WorkerNumber worker, Displacement at) const {
        std::byte* const region = world_->region(worker);
        return (region != nullptr ? region : reinterpret_cast<std::byte*>(elsewhere_.get())) + at;
    }

    template <typename V> V swap(Target to, V value, std::memory_order order) {
        return fetch(to, value, mpi::Atomic::Replace, order);
    }
    template <typename V> V add(Target to, V addend, std::memory_order order) {
        return fetch(to, addend, mpi::Atomic::Sum, order);
    }
    template <typename V> V read(Target to, std::memory_order order) {
        return fetch(to, V{}, mpi::Atomic::None, order);
    }
    template <typename V> V cas(Target to, V expected, V desired, std::memory_order order) {
        count(to);
        publish(order);
        V before = expected;
        world_->compare_and_swap(place(to), word_bytes<V>, &expected, &desired, &before);
        observe(order);
        return before;
    }
    template <typename V> void put(Target to, V value, std::memory_order order) {
        if (modes_.writes_atomically) return acc(to, value, order);
        count(to);
        publish(order);
        world_->put(place(to), word_bytes<V>, &value);
        world_->flush(to.worker);
    }
    template <typename V> void acc(Target to, V value, std::memory_order order) {
        count(to);
        publish(order);
        world_->accumulate(place(to), word_bytes<V>, &value);
        world_->flush(to.worker);
    }
    // Begun, at the library's pleasure: some keep it back until a flush, which nothing here asks for.
    template <typename V> void acc_later(Target to, V value) {
        count(to);
        publish(std::memory_order_release);
        if (later_count_ == later_.size()) complete_later(); // before a value's place is used again
        auto& kept = later_[later_count_++];
        std::memcpy(&kept, &value, word_bytes<V>);
        world_->accumulate(place(to), word_bytes<V>, &kept);
    }

    void send(WorkerNumber to) {
        ++counts_.messages;
        publish(std::memory_order_release);
        world_->send_empty(to);
    }
    void receive() {
        world_->receive_empty();
        observe(std::memory_order_acquire);
    }

    // What acc_later() has begun.
    void complete_later() {
        if (later_count_ == 0) return;
        world_->flush_all();
        later_count_ = 0;
    }

    // A turn of a loop that waits.
    void progress() {
        if (modes_.completes_later) complete_later();
        if (modes_.makes_progress) world_->probe();
        world_->sync();
        if (world_->is_crowded() || ++turns_ % 64 == 0) mpi::World::pause();
    }
    [[nodiscard]] static std::uint64_t nanoseconds() {
        auto const now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
    }

    // Of this rank.
    [[nodiscard]] OneSidedCounts const& counts() const { return counts_; }
    void clear_counts() { counts_ = {}; }

    template <typename T> class Objects {
      public:
        static bool reserve(std::size_t /*count*/) { return true; }
        template <typename... Arguments> void emplace(Arguments&&... arguments) {
            objects_.emplace_back(std::forward<Arguments>(arguments)...);
        }
        T& operator[](std::size_t at) const { return objects_[at]; }

      private:
        mutable std::deque<T> objects_; // which do not move
    };

  private:
    struct alignas(cache_line_bytes) Line {
        std::array<std::byte, cache_line_bytes> bytes;
    };
    template <typename V>
    static constexpr std::size_t word_bytes = [] {
        static_assert(std::is_trivially_copyable_v<V> && std::has_single_bit(sizeof(V)) && sizeof(V) <= 8);
        return sizeof(V);
    }();

    static mpi::Place place(Target to) { return {.rank = to.worker, .at = to.at}; }
    template <typename V> V fetch(Target to, V value, mpi::Atomic operation, std::memory_order order) {
        count(to);
        publish(order);
        V before = value;
        world_->fetch(place(to), word_bytes<V>, operation, &value, &before);
        observe(order);
        return before;
    }
    void publish(std::memory_order order) {
        if (order != std::memory_order_relaxed && order != std::memory_order_acquire) world_->sync();
    }
    void observe(std::memory_order order) {
        if (order != std::memory_order_relaxed && order != std::memory_order_release) world_->sync();
    }
    void count(Target to) {
        bool const is_near = topology().node_of(to.worker) == topology().node_of(self());
        ++(to.is_home ? counts_.home : is_near ? counts_.near : counts_.others);
    }

    static inline WorkerNumber rank_of_process = 0;

    mpi::World* world_;
    mpi::RankTopology topology_;
    std::unique_ptr<Line[]> elsewhere_;
    MpiModes modes_{};
    std::uint32_t turns_ = 0;
    OneSidedCounts counts_{};
    std::array<std::uint64_t, 256> later_{};
    std::size_t later_count_ = 0;
};

using Mpi = OneSided<MpiTransport>;

} // namespace mxk::locks
