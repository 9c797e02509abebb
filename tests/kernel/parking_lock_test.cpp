// ParkingLock (tasks/threads/parking_lock.hpp): as many threads on each core as one likes, and none is forgotten.
#include <cstddef>
#include <cstdint>

#include "arch/machine.hpp"
#include "base/inject.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/parking_lock.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/lock_visitors.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

struct ParkingUser {
    ParkingLock& lock;
    VisitCounter<true>& counter;
    std::uint64_t sections;
    bool yields_inside; // so that others find the lock held, poll in vain and park
    std::uint64_t entered = 0;

    void operator()() {
        for (std::uint64_t i = 0; i < sections; ++i) {
            ParkingLock::Node node;
            if (i % 8 == 7) {
                if (!lock.try_lock(node)) continue;
            } else {
                lock.lock(node);
            }
            counter.visit();
            if (yields_inside && i % 16 == 0) this_thread::yield();
            ++entered;
            lock.unlock(node);
        }
    }
};

void check_parking(std::size_t threads_per_core, std::uint64_t sections, bool yields_inside) {
    ParkingLock lock;
    VisitCounter<true> counter;
    InjectDelays const delays;
    std::size_t const threads = threads_per_core * workers::count();
    auto users = NodeVector<ParkingUser>::create(threads, Worker::current().node());
    MXK_CHECK(users.ok());
    if (!users) return;
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i)
        group.start({.core = core_id(i % workers::count()), .name = "parker", .slice = Nanoseconds{100'000}},
                    users.value().emplace(ParkingUser{lock, counter, sections, yields_inside}));
    group.join();
    std::uint64_t entered = 0;
    for (ParkingUser const& user : users.value()) entered += user.entered;
    MXK_CHECK(entered >= threads * (sections - (sections + 7) / 8)); // all but those that only tried
    MXK_CHECK_EQUAL(counter.count(), entered);
    MXK_CHECK_EQUAL(counter.overlaps(), 0U);
    struct Last {
        ParkingLock& lock;
        bool is_free = false;
        void operator()() {
            ParkingLock::Node own;
            is_free = lock.try_lock(own);
            if (is_free) lock.unlock(own);
        }
    } last{lock};
    ThreadGroup one(1);
    one.start({.name = "last"}, last);
    one.join();
    MXK_CHECK(last.is_free);
}

std::uint64_t parking_sections() {
    return arch::describe_machine().is_emulated() ? 200 : inject::enabled ? 500 : 5'000;
}

MXK_TEST(locks, a_parking_lock_forgets_no_thread) {
    for (std::size_t threads_per_core = 1; threads_per_core <= 4; threads_per_core *= 2)
        check_parking(threads_per_core, parking_sections(), false);
}
MXK_TEST(locks, a_parking_lock_whose_holder_is_preempted_forgets_no_thread) {
    check_parking(4, parking_sections(), true);
}
MXK_LONG_TEST(locks, a_parking_lock_forgets_no_thread_long) {
    check_parking(4, 1'000'000, false);
    check_parking(4, 100'000, true);
}

} // namespace
} // namespace mxk
