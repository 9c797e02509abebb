// The system's own threads as a layer for the experiments of bench/thread/thread_measures.hpp: pinned to the processors
// of the cores that MXK's would run on, with whichever semaphore a peer has.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk::bench {

// Threads that are made, set off together, and joined.
class SystemCrew {
  public:
    using Room = std::size_t;
    static Result<Room> room(std::size_t threads) { return threads; }

    SystemCrew(auto const& /*layer*/, Room threads) { threads_.reserve(threads); }
    SystemCrew(SystemCrew const&) = delete;
    SystemCrew& operator=(SystemCrew const&) = delete;
    // Threads that were never set off end without calling their bodies.
    ~SystemCrew() { open(Gate::GivenUp); }

    template <typename Body> Result<void> add(CoreId core, Body& body) {
        return start(core, [&body] { body(); });
    }
    // The console's core shows no progress meanwhile: its thread waits.
    template <typename... Progress> Result<void> run(Progress const&...) { return run_all(); }
    // Nobody looks for Ctrl-C before all have ended.
    [[nodiscard]] static bool wanted() { return false; }

  private:
    enum class Gate : unsigned { Closed, Open, GivenUp };

    Result<void> start(CoreId core, std::function<void()> body);
    Result<void> run_all();
    void open(Gate gate);

    std::atomic<Gate> gate_{Gate::Closed};
    std::atomic<std::size_t> pinned_{0};
    std::atomic<bool> failed_{false};
    std::vector<std::jthread> threads_;
};

template <typename ItsSemaphore> struct SystemThreads {
    using Crew = SystemCrew;
    using Semaphore = ItsSemaphore;

    static Semaphore semaphore(unsigned units) { return Semaphore(units); }
    static void yield() { sched_yield(); }
};

} // namespace mxk::bench
