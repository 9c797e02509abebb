// The transport of locks over MPI-3 (locks/fabric/transport.hpp): a worker is a rank, its region a part of the
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
#include <memory>
#include <optional>
#include <type_traits>

#include "base/units.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/transport.hpp"
#include "main/mpi/rank_topology.hpp"
#include "main/mpi/world.hpp"

namespace mxk::locks {

struct MpiModes {
    bool makes_progress = true;     // waiters give MPI its turn: else others may wait for this rank without end
    bool writes_atomically = false; // Put is Accumulate: for memory whose plain words may be seen half written
    bool completes_later = true; // AccumulateLater is complete at the next turn of a wait; else a flush may never come
};

class MpiTransport final : public Transport {
  public:
    // Collective: opens the world's regions.
    MpiTransport(mpi::World& world, WorkerNumber nodes, std::size_t region_bytes);

    [[nodiscard]] mpi::World& world() const { return *world_; }
    void set_modes(MpiModes modes) { modes_ = modes; }
    // Collective: nobody uses the locks before, and their memory is used again.
    void forget_locks() {
        world_->barrier();
        told_of_wait_.reset(); // the word is another one's then
        Transport::forget_locks();
    }

    // Each rank makes all nodes' locks, and uses its own.
    [[nodiscard]] bool constructs(WorkerNumber worker) const override {
        return !has_failed() && worker == current_worker();
    }
    std::uint64_t operate(Target to, WordOperation const& operation) override;
    void send(WorkerNumber to) override;
    void receive() override;
    void progress() override;
    [[nodiscard]] std::uint64_t nanoseconds() const override;

    // This rank adds 1 to the word when it waits next, once.
    void tell_of_wait(Target word) { told_of_wait_ = word; }
    // What AccumulateLater has begun.
    void complete_later();
    // Of this rank.
    [[nodiscard]] OneSidedCounts const& counts() const { return counts_; }
    void clear_counts() { counts_ = {}; }

  private:
    struct alignas(cache_line_bytes) Line {
        std::array<std::byte, cache_line_bytes> bytes;
    };
    void begin_wait();

    mpi::World* world_;
    mpi::RankTopology ranks_;
    std::unique_ptr<Line[]> elsewhere_; // for the regions of other nodes: memory that nobody looks at
    std::vector<std::byte*> regions_;
    MpiModes modes_{};
    std::uint32_t turns_ = 0;
    std::optional<Target> told_of_wait_;
    OneSidedCounts counts_{};
    std::array<std::uint64_t, 256> later_{};
    std::size_t later_count_ = 0;
};

} // namespace mxk::locks
