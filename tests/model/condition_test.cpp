// Condition variables: of a notification and a timeout one ends a wait, and a notification that finds a waiter is not
// lost.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "tasks/threads/condition.hpp"
#include "tasks/threads/kill.hpp"
#include "tests/model/protocol.hpp"

namespace mxk {

// Nobody kills here.
EndHold::EndHold() {}  // NOLINT(modernize-use-equals-default): each of a class that is not trivial
EndHold::~EndHold() {} // NOLINT(modernize-use-equals-default): the same

} // namespace mxk

namespace mxk::test {
namespace {

class ConditionUse {
  public:
    enum class Does : std::uint8_t {
        Wait,    // until it has one of what is made
        WaitFor, // the same, or a timeout; what it is notified of it leaves to others
        WaitForTwice,
        Make,    // one, and notifies one
        MakeTwo, // and notifies all
        Notify   // all, of nothing
    };

    ProtocolUse use(std::string name, std::vector<Does> const& threads, bool is_long = false) {
        ModelProgram program;
        program.begin = [this] {
            condition_ = ModelMemory::make<ConditionVariable>();
            mutex_ = ModelMemory::make<Mutex>();
            made_ = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
        };
        for (Does const what : threads) program.threads.emplace_back([this, what] { run(what); });
        program.end = [this] { note(*made_); };
        return {std::move(name), std::move(program), 0, is_long};
    }

  private:
    void run(Does what) {
        switch (what) {
        case Does::Wait:
            mutex_->lock();
            while (*made_ == 0) condition_->wait(*mutex_);
            *made_ -= 1;
            return mutex_->unlock();
        case Does::WaitFor: return wait_for();
        case Does::WaitForTwice: // from one place of the stack: who still uses what was there races
            for (std::uint64_t i = 0; i < 2; ++i) {
                wait_for();
                note(i); // neither is a tail call
            }
            return;
        case Does::Make: make(1); return condition_->notify_one();
        case Does::MakeTwo: make(2); return condition_->notify_all();
        case Does::Notify: return condition_->notify_all();
        }
    }
    [[gnu::noinline]] void wait_for() {
        mutex_->lock();
        bool const is_notified = *made_ == 0 && condition_->wait_for(*mutex_, Nanoseconds{1}).value();
        note(is_notified ? 1 : 0);
        mutex_->unlock();
        if (is_notified) condition_->notify_one();
    }
    void make(std::uint32_t count) {
        mutex_->lock();
        *made_ += count;
        mutex_->unlock();
    }

    ConditionVariable* condition_ = nullptr;
    Mutex* mutex_ = nullptr;
    ModelPlain<std::uint32_t>* made_ = nullptr;
};

TEST(Model, ConditionVariable) {
    using enum ConditionUse::Does;
    ConditionUse use;
    Protocol("condition variable")
        .use(use.use("one waits", {Wait, Make}))
        .use(use.use("one waits for some time", {WaitFor, Make}))
        .use(use.use("one waits, and all are notified", {Wait, MakeTwo}))
        .use(use.use("one waits for some time, and all are notified", {WaitFor, Notify}))
        .use(use.use("one waits twice", {WaitForTwice, Notify}))
        .use(use.use("one of two gives up", {WaitFor, Wait, Make}))
        .use(use.use("two wait", {Wait, Wait, MakeTwo}))
        .check({"condition,"}, {});
}

} // namespace
} // namespace mxk::test
