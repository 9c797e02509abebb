// Workers of a simulation, all on the calling core: each has a stack and a clock of its own, and the one whose clock is
// behind those of all others runs until it lets time pass. So what they do, and how long it takes, is the same each
// time on any machine, for more workers than it has processors, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

class SimulatedWorkers {
  public:
    // body(place) by each of `workers`, from time 0 on, until all have ended. Errors: no memory. Any core, but nobody
    // else may simulate meanwhile.
    template <typename Body> static Result<void> run(std::span<CoreId const> workers, Body const& body) {
        Call const call = [](void const* it, std::size_t place) { (*static_cast<Body const*>(it))(place); };
        return simulate(workers, call, &body);
    }
    // Null while none runs. The other functions are for its workers.
    static SimulatedWorkers* current() { return current_; }

    [[nodiscard]] WorkerNumber self() const { return workers_[running_].number; }
    // Of the caller's clock.
    [[nodiscard]] Nanoseconds now() const { return workers_[running_].now; }
    // Others run until they are as far.
    void pass(Nanoseconds time);
    // Until all have come; then all clocks show the latest one's time.
    void barrier();

  private:
    using Call = void (*)(void const* body, std::size_t place);
    struct Worker {
        WorkerNumber number;
        Nanoseconds now{};
        bool is_out = false; // at the barrier, or has ended
        void* stack = nullptr;
    };
    static constexpr std::size_t stack_bytes = 64 * KiB;

    SimulatedWorkers(Call call, void const* body)
        : call_(call)
        , body_(body) {}
    static Result<void> simulate(std::span<CoreId const> workers, Call call, void const* body);
    static void begin();
    [[nodiscard]] std::size_t next() const;
    void switch_to(std::size_t place);

    static inline constinit SimulatedWorkers* current_ = nullptr;
    Call call_;
    void const* body_;
    NodeVector<Worker> workers_;
    NodeArray<std::byte> stacks_;
    std::size_t running_ = 0;
    std::size_t at_barrier_ = 0;
    void* caller_ = nullptr; // its stack
};

} // namespace mxk::locks
