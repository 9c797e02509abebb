// The peers of `bench thread-peer` and `bench semaphore-peer`: the system's own threads as a layer for the experiments
// of bench/thread/thread_measures.hpp, pinned to the processors of the cores that MXK's would run on, with each of
// three semaphores.
#include <gnu/libc-version.h>
#include <linux/futex.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <semaphore>

#include "base/result.hpp"
#include "bench/thread/thread_measures.hpp"
#include "peers/cost_peer.hpp"
#include "peers/pinned_thread.hpp"

namespace mxk::bench {
namespace {

// Threads that are made, set off together, and joined.
class SystemThreadTeam {
  public:
    using Room = std::size_t;
    static Result<Room> room(std::size_t threads) { return threads; }

    SystemThreadTeam(auto const& /*layer*/, Room /*threads*/) {}
    SystemThreadTeam(SystemThreadTeam const&) = delete;
    SystemThreadTeam& operator=(SystemThreadTeam const&) = delete;
    // Threads that were never set off end without calling their bodies.
    ~SystemThreadTeam() { open(Gate::GivenUp); }

    template <typename Body> Result<void> add(CoreId core, Body& body) {
        threads_.emplace_back(core, [this, &body] {
            gate_.wait(Gate::Closed, std::memory_order_acquire);
            if (gate_.load(std::memory_order_acquire) == Gate::Open) body();
        });
        return {};
    }
    // The console's core shows no progress meanwhile: its thread waits.
    template <typename... Progress> Result<void> run(Progress const&...) {
        open(Gate::Open);
        return {};
    }
    // Nobody looks for Ctrl-C before all have ended.
    [[nodiscard]] static bool wanted() { return false; }

  private:
    enum class Gate : unsigned { Closed, Open, GivenUp };

    void open(Gate gate) {
        gate_.store(gate, std::memory_order_release);
        gate_.notify_all();
        threads_.clear(); // joins
    }

    std::atomic<Gate> gate_{Gate::Closed};
    std::list<PinnedThread> threads_;
};

template <typename ItsSemaphore> struct SystemThreads {
    using ThreadTeam = SystemThreadTeam;
    using Semaphore = ItsSemaphore;

    static Semaphore semaphore(unsigned units) { return Semaphore(units); }
    static void yield() { sched_yield(); }
};

// What `library` says of the system's threads and C library.
std::string system_threads(std::string_view what) {
    utsname system{};
    uname(&system);
    return std::string(what) + "; glibc " + gnu_get_libc_version() + ", Linux " + system.release;
}

// A peer's `run`: the system's threads with this semaphore.
template <typename Semaphore, typename Measure, typename Options>
Result<Sample> run_system(Measure measure, CorePair cores, Options const& options) {
    return run_measure(SystemThreads<Semaphore>{}, measure, cores, options);
}

// Peers that are a semaphore: threads that wake each other by it, and the semaphore itself.
template <typename Semaphore> constexpr ThreadPeer wakes_by(std::string_view name, std::string (*library)()) {
    return {.name = name,
            .library = library,
            .measures = {ThreadMeasure::Wake, ThreadMeasure::WakeAcross},
            .run = &run_system<Semaphore, ThreadMeasure, ThreadCosts>};
}
template <typename Semaphore>
constexpr SemaphorePeer
semaphore_peer(std::string_view name, std::string (*library)(),
               NameSet<SemaphoreMeasure> measures = {SemaphoreMeasure::Uncontended, SemaphoreMeasure::PingPong,
                                                     SemaphoreMeasure::PingPongAcross, SemaphoreMeasure::Crowd,
                                                     SemaphoreMeasure::CrowdAcross}) {
    return {.name = name,
            .library = library,
            .measures = measures,
            .run = &run_system<Semaphore, SemaphoreMeasure, SemaphoreCosts>};
}

// One unit in a futex, and nothing else: every post() is a system call, and so is a wait() that does not find it. No
// user can wake a thread by less.
class Futex {
  public:
    explicit Futex(unsigned unit)
        : word_(unit) {}

    void wait() {
        while (!try_wait()) call(FUTEX_WAIT_PRIVATE, 0); // returns at once if there is a unit by now
    }
    // acquire: pairs with post()
    bool try_wait() { return word_.exchange(0, std::memory_order_acquire) != 0; }
    void post() {
        word_.store(1, std::memory_order_release);
        call(FUTEX_WAKE_PRIVATE, 1);
    }

  private:
    void call(int operation, std::uint32_t value) { syscall(SYS_futex, &word_, operation, value, nullptr, nullptr, 0); }

    std::atomic<std::uint32_t> word_;
};

constexpr auto futex_library = [] { return system_threads("SYS_futex, pthreads"); };

constexpr ThreadPeer futex_wakes = wakes_by<Futex>("futex", futex_library);
MXK_REGISTER(mxk_thread_peers, ThreadPeer, futex_wakes);

constexpr SemaphorePeer futex_ping_pong =
    semaphore_peer<Futex>("futex", futex_library, {SemaphoreMeasure::PingPong, SemaphoreMeasure::PingPongAcross});
MXK_REGISTER(mxk_semaphore_peers, SemaphorePeer, futex_ping_pong);

// Threads that only yield, or do not even that: their measures need no semaphore, and this one stands for any.
constexpr ThreadPeer sched_yield_peer{.name = "sched-yield",
                                      .library = [] { return system_threads("sched_yield(2), pthreads"); },
                                      .measures = {ThreadMeasure::Yield, ThreadMeasure::Preempt},
                                      .run = &run_system<Futex, ThreadMeasure, ThreadCosts>};
MXK_REGISTER(mxk_thread_peers, ThreadPeer, sched_yield_peer);

// sem_t as it is: what MXK's Linux build stands on.
class RawSemaphore {
  public:
    explicit RawSemaphore(unsigned units) { sem_init(&semaphore_, 0, units); }
    RawSemaphore(RawSemaphore const&) = delete;
    RawSemaphore& operator=(RawSemaphore const&) = delete;
    ~RawSemaphore() { sem_destroy(&semaphore_); }

    void wait() {
        while (sem_wait(&semaphore_) != 0) { // a signal came
        }
    }
    bool try_wait() { return sem_trywait(&semaphore_) == 0; }
    void post() { sem_post(&semaphore_); }

  private:
    sem_t semaphore_{};
};

constexpr auto sem_t_library = [] { return system_threads("sem_t, pthreads"); };

constexpr ThreadPeer sem_t_wakes = wakes_by<RawSemaphore>("sem-t", sem_t_library);
MXK_REGISTER(mxk_thread_peers, ThreadPeer, sem_t_wakes);

constexpr SemaphorePeer sem_t_operations = semaphore_peer<RawSemaphore>("sem-t", sem_t_library);
MXK_REGISTER(mxk_semaphore_peers, SemaphorePeer, sem_t_operations);

// Is not told how many units there may be.
class StandardSemaphore {
  public:
    explicit StandardSemaphore(unsigned units)
        : semaphore_(units) {}

    void wait() { semaphore_.acquire(); }
    bool try_wait() { return semaphore_.try_acquire(); }
    void post() { semaphore_.release(); }

  private:
    std::counting_semaphore<> semaphore_;
};

constexpr auto std_semaphore_library = [] { return system_threads("std::counting_semaphore, gcc " __VERSION__); };

constexpr ThreadPeer std_semaphore_wakes = wakes_by<StandardSemaphore>("std-semaphore", std_semaphore_library);
MXK_REGISTER(mxk_thread_peers, ThreadPeer, std_semaphore_wakes);

constexpr SemaphorePeer std_semaphore_operations =
    semaphore_peer<StandardSemaphore>("std-semaphore", std_semaphore_library);
MXK_REGISTER(mxk_semaphore_peers, SemaphorePeer, std_semaphore_operations);

} // namespace
} // namespace mxk::bench
