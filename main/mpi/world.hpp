// What the program takes of MPI-3, without the header of an implementation: everything else is compiled once for Open
// MPI and MPICH, and world.cpp for each. One global window over memory that each node's ranks share (on one machine the
// nodes are pretended: rank / (ranks / nodes)), in one passive epoch for the program's life. What fails in MPI ends the
// program with MPI's own message.
//
// Collective where it says so: called by all ranks in the same order. Waits offer the processor, since there may be
// more ranks than processors; none of them is inside a call that only spins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mxk::mpi {

using Rank = std::uint32_t;

// Where an operation goes: the displacement is in bytes.
struct Place {
    Rank rank;
    std::size_t at;
};
enum class Atomic : std::uint8_t { Replace, Sum, None };

// What the results depend on.
struct Library {
    std::string version;
    std::string component; // that moves the words, as far as the library says it
    bool is_unified;       // the window's memory model
};

// Whether MPI's own loops that wait offer the processor, too, as far as this program can have them do so: at first, and
// where there are more ranks than processors.
inline constinit bool waits_offer_processor = true;

class World {
  public:
    // Once. `count`, `arguments`: those of main().
    World(int& count, char**& arguments);
    ~World(); // collective
    World(World const&) = delete;
    World& operator=(World const&) = delete;

    [[nodiscard]] Rank rank() const { return rank_; }
    [[nodiscard]] Rank ranks() const { return ranks_; }
    // More ranks on this machine than processors for them.
    [[nodiscard]] bool is_crowded() const { return is_crowded_; }
    [[nodiscard]] Library library() const;

    // Collective, once, before all that follows. `nodes` divides the number of ranks; `bytes`: of each region, all 0 at
    // first.
    void open_regions(Rank nodes, std::size_t bytes);
    // Of a rank of the own node; null: of another one. 64 bytes aligned.
    [[nodiscard]] std::byte* region(Rank rank) const;

    // One-sided operations on words of 1, 2, 4 or 8 bytes. These three are complete on return.
    void fetch(Place place, std::size_t bytes, Atomic operation, void const* value, void* before);
    void compare_and_swap(Place place, std::size_t bytes, void const* expected, void const* desired, void* before);
    void get(Place place, std::size_t bytes, void* value);
    // Not complete before a flush, and the value must stay until then.
    void put(Place place, std::size_t bytes, void const* value);
    void accumulate(Place place, std::size_t bytes, void const* value); // replaces, atomically
    void flush(Rank rank);
    void flush_all();
    void sync(); // MPI_Win_sync

    // Gives MPI its turn: what others ask of this rank is done. Consumes no message.
    void probe();
    // Offers the processor.
    static void pause();

    // Empty messages of locks, on a communicator of their own. receive_empty() waits for one from any rank.
    void send_empty(Rank rank);
    void receive_empty();
    [[nodiscard]] bool has_empty();
    // Messages of the application, on the communicator of all. `value` must stay until all_sent().
    void send_number(Rank rank, std::uint64_t const& value);
    [[nodiscard]] bool all_sent();
    // Whether there was one.
    [[nodiscard]] bool try_receive_number(Rank from, std::uint64_t& value);

    // Collective. All that this rank has begun is complete, and everybody has come.
    void barrier();
    // Collective: each rank's numbers, one rank after the other.
    void gather(std::span<std::uint64_t const> own, std::span<std::uint64_t> all);
    // Collective: that of rank 0.
    void broadcast(std::uint64_t& value);

    // Windows for MPI's own lock, one for each. Opening and closing are collective; the memory is the home's.
    using WindowLock = std::size_t;
    [[nodiscard]] WindowLock open_window_lock(Rank home);
    void close_window_lock(WindowLock lock);
    void lock_window(WindowLock lock); // exclusive, and held on return
    void unlock_window(WindowLock lock);

  private:
    struct State; // of the implementation
    State* state_;
    Rank rank_ = 0;
    Rank ranks_ = 1;
    bool is_crowded_ = false;
};

} // namespace mxk::mpi
