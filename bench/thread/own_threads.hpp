// MXK's own threads as the experiments of `bench thread` and `bench semaphore` use them. What is measured is a Layer,
// so that the very same experiments measure those of others (peers/system_threads.cpp). A Layer has
//
//     Semaphore semaphore(units) const    with wait(), post() and, where it says so, try_wait()
//     static void yield()
//     ThreadTeam                                some threads that are made, set off together, and waited for
//
// and a ThreadTeam
//
//     static Result<Room> room(threads)   errors: no memory
//     ThreadTeam(Layer const&, Room)
//     Result<void> add(core, body)        a thread that will call body() once, which lives until run() has returned
//     Result<void> run(what, total, count, context)    all of them, to their end; Progress::phase() takes the rest
//     bool wanted() const                 a body's: whether it is to end before its time
//
// Threads must not use a Worker: they see the console's task through the Ending only.
#pragma once

#include <atomic>
#include <optional>

#include "bench/task/ending.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"

namespace mxk::bench {

struct OwnThreads {
    class ThreadTeam;
    using Semaphore = mxk::Semaphore;

    Progress& progress;
    Nanoseconds slice;
    SemaphoreKind kind = SemaphoreKind::Fast; // which the build supports

    [[nodiscard]] mxk::Semaphore semaphore(std::uint32_t units) const { return mxk::Semaphore(units, kind); }
    static void yield() { this_thread::yield(); }
};

class OwnThreads::ThreadTeam {
    struct Member {
        ThreadTeam& team;
        void (*call)(void* body);
        void* body;
        std::optional<Thread> thread{};

        void operator()() const;
    };

  public:
    using Room = NodeVector<Member>;

    static Result<Room> room(std::size_t threads) { return Room::create(threads, Worker::current().node()); }

    ThreadTeam(OwnThreads const& layer, Room members);
    ThreadTeam(ThreadTeam const&) = delete;
    ThreadTeam& operator=(ThreadTeam const&) = delete;
    // Threads that were never set off end without calling their bodies.
    ~ThreadTeam();

    template <typename Body> Result<void> add(CoreId core, Body& body) {
        return start(
            core, [](void* it) { (*static_cast<Body*>(it))(); }, &body);
    }
    Result<void> run(std::string_view what, std::size_t total, Progress::Count count, void const* context);
    [[nodiscard]] bool wanted() const { return ending_.wanted(); }

  private:
    Result<void> start(CoreId core, void (*call)(void*), void* body);

    OwnThreads const& layer_;
    Room members_;
    Semaphore gate_{0};             // where they wait to be set off
    std::atomic<bool> open_{false}; // for good, not in order to give up
    std::atomic<std::size_t> running_{0};
    Ending ending_;
};

} // namespace mxk::bench
