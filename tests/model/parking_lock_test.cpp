// The lock whose waiters park: sections follow each other, and of those that park somebody wakes each.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tasks/threads/parking_lock.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tests/model/protocol.hpp"
#include "tests/unit/long_tests.hpp"

namespace mxk::test {
namespace {

class ParkingLockUse {
  public:
    // `sections`: of each thread. `is_held`: by one more, the first, which only leaves.
    ProtocolUse use(std::string name, std::vector<std::size_t> const& sections, bool is_held = false,
                    bool is_large = false) {
        ModelProgram program;
        program.begin = [this, is_held] {
            processors_may_be_taken = true; // fewer steps of the list's lock
            thread_backend::model_records = {};
            lock_ = ModelMemory::make<ParkingLock>();
            count_ = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
            node_ = ModelMemory::make<ParkingLock::Node>();
            AsModelThread const first(1);
            if (is_held) lock_->lock(*node_);
        };
        if (is_held) program.threads.emplace_back([this] { lock_->unlock(*node_); });
        for (std::size_t const count : sections)
            program.threads.emplace_back([this, count] {
                for (std::size_t i = 0; i < count; ++i) enter();
            });
        program.end = [this] {
            WeakMemory& memory = WeakMemory::current();
            for (ThreadRecord const& record : thread_backend::model_records)
                memory.check(record.end_holds == 0, "a thread holds off its end");
            memory.check(lock_->try_lock(*node_), "the lock is not free");
            lock_->unlock(*node_);
        };
        return {std::move(name), std::move(program), 0, false, is_large};
    }

  private:
    [[gnu::noinline]] void enter() {
        ParkingLock::Node node;
        lock_->lock(node);
        *count_ += 1;
        note(*count_);
        lock_->unlock(node);
    }

    ParkingLock* lock_ = nullptr;
    ModelPlain<std::uint64_t>* count_ = nullptr;
    ParkingLock::Node* node_ = nullptr;
};

constexpr char const* twice = "long: two, twice";
constexpr char const* of_three = "of three, whose executions are too many to be tried for each mutant";
constexpr char const* in_vain = "looks for a waiter in vain";

TEST(Model, ParkingLock) {
    ParkingLockUse lock;
    Protocol("lock that parks")
        .use(lock.use("two", {1, 1}))
        .use(lock.use("two, twice", {2, 1}, false, true))
        .use(lock.use("held, one waits", {1}, true))
        .check({"parking,"}, {{"parking, leave_list() condition: always", twice},
                              {"parking, leave_list() condition: never", in_vain},
                              {"parking, leave_list() store: left out", twice},
                              {"parking, park() add: without acquire", of_three},
                              {"parking, park() add: without release", twice},
                              {"parking, park() condition 1: always", of_three},
                              {"parking, park() condition 1: never", twice},
                              {"parking, park() condition 2*", of_three},
                              {"parking, park() condition 3: always", in_vain},
                              {"parking, park() store: left out", twice},
                              {"parking, poll() condition 2: always", twice},
                              {"parking, poll() condition 3: always", of_three},
                              {"parking, poll() condition 4: never", "no time passes"},
                              {"parking, poll() condition 5: never", "no time passes"},
                              {"parking, try_to_take() condition 1: never", "goes the way of a waiter"},
                              {"parking, unlock() add: without acquire", twice},
                              {"parking, unlock() condition: always", in_vain},
                              {"parking, wait() condition 2*", of_three},
                              {"parking, wait() condition 3: always", twice},
                              {"parking, wake_first() condition 1: never", "decides under the lock, too"},
                              {"parking, wake_first() condition 2: never", of_three},
                              {"parking, wake_first() condition 3: never", twice},
                              {"parking, wake_first() condition 4: always", of_three},
                              {"parking, wake_first() condition 4: never", twice},
                              {"parking, wake_first() store: left out", of_three}});
    if (tests_are_long())
        Protocol("lock that parks, three")
            .use(lock.use("three", {1, 1, 1}))
            .use(lock.use("held, two wait", {1, 1}, true))
            .check_uses();
}

} // namespace
} // namespace mxk::test
