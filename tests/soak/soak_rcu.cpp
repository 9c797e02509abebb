// Read-copy-update as a part of `soak`: readers who look at an object that is replaced all the time, and poisoned when
// it is given back.
#include <array>
#include <atomic>
#include <cstdint>

#include "bench/workload/random.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"
#include "tests/soak/soak_part.hpp"

namespace mxk {
namespace {

constexpr std::uint64_t reclaimed_mark = 0xfafa'fafa'fafa'fafa;

struct Replaced : rcu::Callback {
    Semaphore* free = nullptr;
    // Relaxed: a reader who is too late is to find out, not to race.
    std::atomic<std::uint64_t> value{reclaimed_mark};
    std::atomic<std::uint64_t> inverse{reclaimed_mark};
};

class ReplacedReader {
  public:
    ReplacedReader(SoakRun const& run, std::uint64_t seed, std::atomic<Replaced*> const& current)
        : run_(run)
        , random_(seed)
        , current_(current) {}
    void operator()() {
        while (!run_.is_over()) {
            {
                rcu::ReadSection const section;
                Replaced const& object = *current_.load(std::memory_order_acquire);
                std::uint64_t const value = object.value.load(std::memory_order_relaxed);
                for (std::uint64_t turns = random_.below(2000); turns > 0; --turns) __builtin_ia32_pause();
                MXK_CHECK_EQUAL(object.inverse.load(std::memory_order_relaxed), ~value);
                MXK_CHECK_EQUAL(object.value.load(std::memory_order_relaxed), value);
            }
            if (random_.below(8) == 0) this_thread::yield();
        }
    }

  private:
    SoakRun const& run_;
    bench::Random random_;
    std::atomic<Replaced*> const& current_;
};

// The writer. A callback of one core runs after those given before it, so objects are free in the order of the ring.
void soak_rcu(SoakRun const& run) {
    bench::Random random(run.seed);
    std::array<Replaced, 32> ring;
    Semaphore free(ring.size() - 1);
    for (Replaced& object : ring) {
        object.free = &free;
        object.function = [](rcu::Callback& callback) {
            auto& self = static_cast<Replaced&>(callback);
            self.value.store(reclaimed_mark, std::memory_order_relaxed);
            self.inverse.store(reclaimed_mark, std::memory_order_relaxed); // not the inverse
            self.free->post();
        };
    }
    ring[0].value.store(0, std::memory_order_relaxed);
    ring[0].inverse.store(~std::uint64_t{0}, std::memory_order_relaxed);
    std::atomic<Replaced*> current{&ring[0]};
    ReplacedReader near(run, random.next(), current);
    ReplacedReader far(run, random.next(), current);
    auto first = Thread::create({.core = this_thread::core(), .name = "rcu reader"}, near);
    auto second = Thread::create({.core = core_id(workers::count() - 1), .name = "rcu reader"}, far);
    MXK_CHECK(first.ok() && second.ok());
    for (std::uint64_t number = 1; !run.is_over(); ++number) {
        free.wait();
        Replaced& next = ring[number % ring.size()];
        next.value.store(number, std::memory_order_relaxed);
        next.inverse.store(~number, std::memory_order_relaxed);
        Replaced& before = *current.exchange(&next, std::memory_order_acq_rel);
        rcu::call(before, random.below(4) == 0 ? rcu::Urgency::Next : rcu::Urgency::Batched);
        if (random.below(64) == 0) rcu::synchronize();
        if (random.below(4) == 0) this_thread::yield();
    }
    if (first) MXK_CHECK(first.value().join().ok());
    if (second) MXK_CHECK(second.value().join().ok());
    MXK_CHECK(rcu::barrier().ok()); // its objects are on this stack
}

constexpr SoakPart rcu_part{
    .name = "rcu", .summary = "readers of an object that is replaced all the time", .run = &soak_rcu};
MXK_REGISTER(mxk_soak_parts, SoakPart, rcu_part);

} // namespace
} // namespace mxk
