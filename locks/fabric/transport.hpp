// What moves the words of locks that are in several workers' regions (one_sided.hpp): memory that is emulated to be far
// (emulated.hpp), or MPI (main/mpi/). Words are named by worker and displacement, never by address; what is reserved is
// at the same displacement in every region. The operations are functions of any width, so that a lock is compiled once
// for all transports.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

using Displacement = std::uint32_t;

// Where a one-sided operation goes.
struct Target {
    WorkerNumber worker;
    Displacement at;
    bool is_home; // of a lock's home, for those who count
};

// Put: a plain store. Accumulate: an atomic one; AccumulateLater may be complete only when its worker waits.
enum class WordAccess : std::uint8_t { Swap, CompareAndSwap, Add, Read, Put, Accumulate, AccumulateLater };
struct WordOperation {
    WordAccess access;
    std::uint8_t bytes; // 1, 2, 4 or 8
    std::memory_order order;
    std::uint64_t value;       // of so many bytes
    std::uint64_t expected{0}; // CompareAndSwap
};

// The caller's number.
WorkerNumber current_worker();

class Transport {
  public:
    [[nodiscard]] LockTopology const& topology() const { return *topology_; }

    // While no worker uses the locks before: their memory is used again.
    void forget_locks() {
        reserved_ = 0;
        has_failed_ = false;
    }
    // In lines of its own. 0, and a failure, if there is no room.
    Displacement reserve(std::size_t bytes, std::size_t alignment) {
        std::size_t const at = align_up(reserved_, std::max(alignment, cache_line_bytes));
        if (at + bytes > bytes_) {
            fail();
            return 0;
        }
        reserved_ = at + bytes;
        return static_cast<Displacement>(at);
    }
    // The same for a record of each worker, by the one that constructs it.
    Displacement make(std::size_t bytes, std::size_t alignment, void (*construct)(std::byte* at));
    void fail() { has_failed_ = true; }
    // There was not enough memory: the lock that was made last must not be used.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

    // Of the caller's node; elsewhere memory that nobody looks at.
    [[nodiscard]] std::byte* address(WorkerNumber worker, Displacement at) const { return regions_[worker] + at; }
    // Whether the caller, who makes a lock, constructs this worker's records.
    [[nodiscard]] virtual bool constructs(WorkerNumber worker) const = 0;

    // What was there before, of those that say so.
    virtual std::uint64_t operate(Target to, WordOperation const& operation) = 0;
    // An empty message. receive() waits for one from any worker.
    virtual void send(WorkerNumber to) = 0;
    virtual void receive() = 0;
    // A turn of a loop that waits.
    virtual void progress() = 0;
    [[nodiscard]] virtual std::uint64_t nanoseconds() const = 0;

  protected:
    // `region_bytes`: of each.
    explicit Transport(std::size_t region_bytes)
        : bytes_(region_bytes) {}
    Transport(Transport&&) = default;
    Transport& operator=(Transport&&) = default;
    ~Transport() = default;
    // Before the first lock: the workers, and the region of each. Both live on.
    void open(LockTopology const& topology, std::byte* const* regions) {
        topology_ = &topology;
        regions_ = regions;
    }

  private:
    LockTopology const* topology_ = nullptr;
    std::byte* const* regions_ = nullptr;
    std::size_t bytes_;
    std::size_t reserved_ = 0;
    bool has_failed_ = false;
};

} // namespace mxk::locks
