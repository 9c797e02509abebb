// The state of a semaphore: units that are given, taken and handed over, callers that wait and that give up.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <new>

#include "base/spin_wait.hpp"
#include "tasks/threads/semaphore_core.hpp"
#include "tests/model/atomic.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

class SemaphoreUse {
  public:
    enum class Does : std::uint8_t {
        Section, // takes a unit, uses what it protects, and gives it back
        Give,    // one unit more
        GiveTwo,
        Take,     // waits for a unit
        Withdraw, // waits, and then does not want to any more (a timeout, a kill); gives back what it got
        Destroy   // waits for a unit, and uses the semaphore's memory for something else
    };

    ProtocolUse use(std::string name, std::uint32_t units, std::vector<Does> threads, bool is_long = false) {
        ModelProgram program;
        program.begin = [this, units, count = threads.size()] {
            semaphore_ = ModelMemory::make<SemaphoreCore>(units);
            protected_ = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
            for (std::size_t i = 0; i < count; ++i) callers_[i] = ModelMemory::make<Caller>();
        };
        for (std::size_t i = 0; i < threads.size(); ++i)
            program.threads.emplace_back([this, i, what = threads[i]] { run(*callers_[i], what); });
        bool const is_there = std::ranges::find(threads, Does::Destroy) == threads.end();
        program.end = [this, is_there] {
            std::uint64_t units_left = 0;
            while (is_there && semaphore_->try_take()) ++units_left;
            note(units_left);
            note(*protected_);
        };
        return {std::move(name), std::move(program), 0, is_long};
    }

  private:
    struct Caller {
        SemaphoreCore::Waiter waiter;
        ModelAtomic<std::uint32_t> is_woken{0};
    };

    void await(Caller& caller) {
        for (SpinWait wait; caller.is_woken.load(std::memory_order_acquire) == 0;) wait.turn();
    }
    void take(Caller& caller) {
        if (semaphore_->try_take() || semaphore_->take_or_wait(caller.waiter)) return;
        await(caller);
    }
    void give() {
        SemaphoreCore::Waiter* const waiter = semaphore_->give();
        if (waiter == nullptr) return;
        for (Caller* caller : callers_)
            if (caller != nullptr && &caller->waiter == waiter) caller->is_woken.store(1, std::memory_order_release);
    }
    void run(Caller& caller, Does what) {
        switch (what) {
        case Does::Section:
            take(caller);
            *protected_ += 1;
            return give();
        case Does::Give: return give();
        case Does::GiveTwo: give(); return give();
        case Does::Take: return take(caller);
        case Does::Withdraw:
            if (semaphore_->take_or_wait(caller.waiter)) return note(1), give();
            if (semaphore_->withdraw(caller.waiter)) return note(2);
            await(caller);
            return note(3), give();
        case Does::Destroy: take(caller); new (semaphore_) SemaphoreCore(0);
        }
    }

    SemaphoreCore* semaphore_ = nullptr;
    ModelPlain<std::uint64_t>* protected_ = nullptr;
    std::array<Caller*, max_model_threads> callers_{};
};

constexpr char const* of_three = "long: about a list of three";

TEST(Model, Semaphore) {
    using enum SemaphoreUse::Does;
    SemaphoreUse semaphore;
    Protocol("semaphore")
        .use(semaphore.use("two sections", 1, {Section, Section}))
        .use(semaphore.use("a unit is handed over", 0, {Take, Give}))
        .use(semaphore.use("two wait", 0, {Take, Take, Give, Give}))
        .use(semaphore.use("one gives up", 0, {Withdraw, Give}))
        .use(semaphore.use("one of two gives up", 0, {Withdraw, Take, Give}))
        .use(semaphore.use("destroyed by who takes", 0, {Destroy, Give}))
        .use(semaphore.use("one of three gives up", 0, {Take, Withdraw, Take, GiveTwo}, true))
        .check({"semaphore_core"},
               {{"semaphore_core, note_waiters() condition 1: never", "comes back, and finds that it is noted"},
                {"semaphore_core, remove() condition 2: always", of_three},
                {"semaphore_core, remove() condition 2: never", of_three}});
}

// A waiter that nobody hands a unit to.
TEST(Model, LostWakeUpsOfSemaphoresAreShown) {
    using enum SemaphoreUse::Does;
    SemaphoreUse semaphore;
    for (std::string const mutant : {"semaphore_core, note_waiters() condition 2: always",
                                     "semaphore_core, give_unless_awaited() condition 1: always"}) {
        Protocol("semaphore").use(semaphore.use("a unit is handed over", 0, {Take, Give})).check_lost_wake_up(mutant);
    }
}

} // namespace
} // namespace mxk::test
