// One unit in a futex, and nothing else: every post() is a system call, and so is a wait() that does not find it. No
// user can wake a thread by less. It also stands for threads that only yield, or do not even that.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "bench/peers/thread_peer.hpp"

namespace mxk::bench {
namespace {

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

constexpr auto library = [] { return system_threads("SYS_futex, pthreads"); };

constexpr ThreadPeer wakes = wakes_by<Futex>("futex", library);
MXK_REGISTER(mxk_thread_peers, ThreadPeer, wakes);

constexpr SemaphorePeer ping_pong =
    semaphore_peer<Futex>("futex", library, {SemaphoreMeasure::PingPong, SemaphoreMeasure::PingPongAcross});
MXK_REGISTER(mxk_semaphore_peers, SemaphorePeer, ping_pong);

// Its measures need no semaphore.
constexpr ThreadPeer sched_yield_peer{
    .name = "sched-yield",
    .library = [] { return system_threads("sched_yield(2), pthreads"); },
    .measures = {ThreadMeasure::Yield, ThreadMeasure::Preempt},
    .run = &run_system<Futex, ThreadMeasure, ThreadCosts>,
};
MXK_REGISTER(mxk_thread_peers, ThreadPeer, sched_yield_peer);

} // namespace
} // namespace mxk::bench
