// MXK on several ranks: processes, on one machine or on many, each with a Runtime of its own, which start together by
// MPI (mpirun) and whose cores send tasks and operations on tables to each other's.
//
//     int main(int count, char** arguments) {
//         auto started = mxk::Cluster::start(count, arguments);
//         if (!started) return complain(started.error());
//         mxk::Cluster& cluster = *started.value();
//         cluster.run([&](mxk::Worker& worker) { ... });        // on core 0 of each rank
//     }
//
// A function that says "collective" is called by all ranks in the same order, inside run(), on core 0. One that waits
// lets its core work on for others meanwhile. A rank that is lost ends all others with status 5 (beats.hpp): of what
// they were at, nothing is to be used.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "main/cluster/mpi_world.hpp"
#include "main/library/runtime.hpp"
#include "tasks/remote/network.hpp"

namespace mxk {

namespace cluster {
class Beats;
} // namespace cluster

struct ClusterOptions {
    // Of each rank. 0: the processors of the host, divided by the ranks on it; one or more.
    std::uint32_t cores = 0;
    std::uint32_t nodes = 0;        // as RuntimeOptions, as the next one
    std::uint64_t memory_bytes = 0; // of each rank
    // Whether each core talks to MPI itself, or core 0 does for all.
    bool network_of_each_core = false;
    // Whether it is noticed that a rank is lost. If not, MPI is called by one thread of each rank, which some of MPI's
    // parts need (one-sided operations of Open MPI over TCP); each core its own network is not for it then.
    bool watches = true;
    // For how long nothing is heard of a rank before it counts as lost.
    double lost_after_seconds = 5;
    remote::NetworkLimits limits{};
    // An error here is one of the call to start(), on all ranks: of what this rank was given.
    Result<void> usage{};
    // Called on rank 0 with the error of start(), while the other ranks are still there: a starter may end all when the
    // first of them has ended. Null: nothing.
    void (*on_error)(Error const& error) = nullptr;
    // Tests': what stands between the endpoints and MPI; null: nothing.
    remote::Link& (*wrap_link)(remote::Link& inner, std::uint64_t seed) = nullptr;
    std::uint64_t wrap_seed = 0;
};

class Cluster {
  public:
    using Rank = remote::Rank;

    // Collective, once in a process. Errors, on all ranks: options that do not fit together; ranks with another program
    // or other options; a rank whose Runtime cannot be started.
    static Result<std::unique_ptr<Cluster>> start(int& count, char**& arguments, ClusterOptions const& options = {});
    // Collective. Tables are gone.
    ~Cluster();
    // Collective, on core 0: what ~Cluster() does with the other ranks; the Runtime stays. For a program that ends in
    // the middle of a task. Nothing else of this may be called after it.
    void leave();
    Cluster(Cluster const&) = delete;
    Cluster& operator=(Cluster const&) = delete;

    [[nodiscard]] Rank rank() const { return world_->rank(); }
    [[nodiscard]] Rank ranks() const { return world_->ranks(); }
    [[nodiscard]] std::uint32_t cores() const { return network_->shape().cores; } // of each rank
    [[nodiscard]] cluster::MpiWorld& world() { return *world_; }
    [[nodiscard]] remote::Network& network() { return *network_; }
    [[nodiscard]] Runtime& runtime() { return *runtime_; }
    // Whether this host has fewer processors than cores of its ranks: they take turns, and measure nothing.
    [[nodiscard]] bool shares_processors() const { return shares_processors_; }

    // Calls function(worker) on core 0, as Runtime::run().
    template <typename Function> void run(Function&& function) { runtime_->run(std::forward<Function>(function)); }

    // Collective, as all below: waits for all ranks.
    void barrier();
    // Each rank's, one after the other.
    template <typename T>
    requires std::is_trivially_copyable_v<T> std::vector<T> gather(T const& own) {
        std::vector<T> all(ranks());
        gather_bytes(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
        return all;
    }
    // That of `from`.
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void broadcast(T& value, Rank from = 0) { broadcast_bytes(std::as_writable_bytes(std::span(&value, 1)), from); }
    // The first error of any rank, with its number; the same on all.
    Result<void> agree(Result<void> const& own);
    // Until all that was posted (remote_spawn.hpp) has ended on all ranks, with what it posted in turn. What a rank's
    // own tasks post counts once they have: they are waited for before (TaskGroup).
    void wait_for_all_posted();

    // Waits for a collective of world() that has begun.
    void wait();

  private:
    Cluster() = default;
    Result<void> start_here(ClusterOptions const& options);
    Result<void> make_network(ClusterOptions const& options, std::uint32_t endpoints);
    void gather_bytes(std::span<std::byte const> own, std::span<std::byte> all);
    void broadcast_bytes(std::span<std::byte> bytes, Rank from);
    void end_world();

    // They go in the opposite order.
    std::unique_ptr<cluster::MpiWorld> world_;
    std::unique_ptr<cluster::Beats> beats_;
    std::optional<Runtime> runtime_;
    std::vector<std::unique_ptr<remote::Link, void (*)(remote::Link*)>> links_;
    std::unique_ptr<remote::Network> network_;
    bool shares_processors_ = false;
};

} // namespace mxk
