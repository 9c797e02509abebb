// What a run of several ranks takes of MPI, without the header of an implementation: what else there is of the cluster
// is compiled once, and mpi_world.cpp for Open MPI and for MPICH. Start-up, collectives, the links that carry messages
// (tasks/remote/link.hpp), beats by which ranks hear that others live, and a window for the table that is compared
// with.
//
// Collective: called by all ranks in the same order. Where a call of MPI fails, some rank is lost, though not always
// the one that the call was about, since others end because of it: `on_failure` is told, and does not return. Beats do
// without a call that fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"
#include "tasks/remote/link.hpp"

namespace mxk::cluster {

using remote::Rank;

constexpr int lost_exit_code = 5;

// What a rank tells all others, twice a second.
struct Beat {
    std::uint32_t lost = none;    // the rank for which the sender ends; none: it goes on
    std::uint32_t seconds_10 = 0; // for how long the sender had not heard of it, in tenths of seconds

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

// Of a rank, as it says itself.
struct RankPlace {
    std::array<char, 64> host{}; // ends with a zero
    std::int64_t process = 0;
};

class MpiWorld {
  public:
    // Once in a process. `count`, `arguments`: those of main(). `many_threads`: any thread may call MPI at any time, as
    // far as the library grants it. Collective.
    MpiWorld(int& count, char**& arguments, bool many_threads);
    ~MpiWorld(); // collective
    MpiWorld(MpiWorld const&) = delete;
    MpiWorld& operator=(MpiWorld const&) = delete;

    // Called with MPI's text.
    using OnFailure = void (*)(std::string const& text);
    void set_on_failure(OnFailure on_failure);

    [[nodiscard]] Rank rank() const { return rank_; }
    [[nodiscard]] Rank ranks() const { return ranks_; }
    // Of the ranks on this host: which one this is, and how many they are.
    [[nodiscard]] Rank rank_here() const { return rank_here_; }
    [[nodiscard]] Rank ranks_here() const { return ranks_here_; }
    [[nodiscard]] RankPlace const& place(Rank rank) const;
    [[nodiscard]] std::string const& library() const; // name and version
    // What carries messages between ranks, as far as the run was told: "shm", "tcp", or "default".
    [[nodiscard]] std::string_view transport() const;
    // Whether it has granted that.
    [[nodiscard]] bool has_threads() const { return has_threads_; }

    // Collectives that do not wait, one at a time: is_done() is asked until it is. The memory stays until then. By one
    // thread.
    void begin_gather(std::span<std::byte const> own, std::span<std::byte> all); // one rank after the other
    void begin_broadcast(std::span<std::byte> bytes, Rank from);
    void begin_barrier();
    [[nodiscard]] bool is_done();

    // Collective, each once: the link of this rank's endpoint `at` of `endpoints`; it goes before this does.
    std::unique_ptr<remote::Link, void (*)(remote::Link*)> make_link(std::uint32_t at, std::uint32_t endpoints);

    // By one thread, which may be another one than those above.
    void send_beat(Rank to, Beat const& beat);
    // Whether there was one.
    [[nodiscard]] bool receive_beat(Rank& from, Beat& beat);

    // Memory that all ranks reach by one-sided operations, `bytes` of each rank, all 0 at first. Opening and closing
    // are collective. The operations are complete on return.
    void open_window(std::size_t bytes);
    void close_window();
    void get(Rank rank, std::size_t at, std::span<std::byte> bytes);
    void put(Rank rank, std::size_t at, std::span<std::byte const> bytes);
    std::uint64_t compare_and_swap(Rank rank, std::size_t at, std::uint64_t expected, std::uint64_t desired);

  private:
    struct State;
    State* state_;
    Rank rank_ = 0;
    Rank ranks_ = 1;
    Rank rank_here_ = 0;
    Rank ranks_here_ = 1;
    bool has_threads_ = false;
};

} // namespace mxk::cluster
