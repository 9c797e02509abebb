// How a rank notices that another one is lost: a thread of its own tells all others twice a second that this rank
// lives, and listens. A rank of which nothing was heard for so long is lost, and with it what the run computes: this
// rank says which one it was and what was under way to it, tells the others, and ends with status 5. Nothing is printed
// as a result after that. A core whose call of MPI fails waits for that.
#pragma once

#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "main/cluster/mpi_world.hpp"

namespace mxk::cluster {

class Beats {
  public:
    // What stands in the message about a rank: what was under way to it, as text.
    using InFlight = std::string (*)(void const* context, Rank rank);

    // `processors`: that the thread may use.
    Beats(MpiWorld& world, double seconds, cpu_set_t const& processors);
    ~Beats(); // collective: it stops when all ranks have come here
    Beats(Beats const&) = delete;
    Beats& operator=(Beats const&) = delete;

    void tell_in_flight(InFlight in_flight, void const* context);

  private:
    MpiWorld& world_;
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

// While this is there: ends the process with status 5 after the time in which a rank may be silent. For the end of MPI,
// where ranks wait for each other and there are no beats any more.
class EndLimit {
  public:
    EndLimit();
    ~EndLimit();
    EndLimit(EndLimit const&) = delete;
    EndLimit& operator=(EndLimit const&) = delete;

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_over_ = false;
    std::thread thread_;
};

} // namespace mxk::cluster
