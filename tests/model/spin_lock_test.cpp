// The spin lock, with tickets and, where processors may be taken away, without a queue.
#include <gtest/gtest.h>

#include "base/spin_lock.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

class SpinLockUse {
  public:
    ProtocolUse use(std::string name, std::vector<std::size_t> sections, bool has_queue) {
        ModelProgram program;
        program.begin = [this, has_queue] {
            processors_may_be_taken = !has_queue;
            lock_ = ModelMemory::make<SpinLock>(lock_bands::waking.rank(0));
            count_ = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
        };
        for (std::size_t const count : sections)
            program.threads.emplace_back([this, count] {
                for (std::size_t i = 0; i < count; ++i) {
                    LockGuard const guard(*lock_);
                    *count_ += 1;
                    note(*count_);
                }
            });
        return {std::move(name), std::move(program)};
    }

  private:
    SpinLock* lock_ = nullptr;
    ModelPlain<std::uint64_t>* count_ = nullptr;
};

TEST(Model, SpinLock) {
    SpinLockUse lock;
    Protocol("spin lock")
        .use(lock.use("two, tickets", {2, 2}, true))
        .use(lock.use("three, tickets", {1, 1, 1}, true))
        .use(lock.use("two, no queue", {2, 1}, false))
        .use(lock.use("three, no queue", {1, 1, 1}, false))
        .check({"spin,"}, {{"spin, take_ticket() condition 1: always", "both ways are right"},
                           {"spin, take_ticket() condition 1: never", "both ways are right"},
                           {"spin, take_ticket() condition 2: always", "a look that saves work"}});
}

} // namespace
} // namespace mxk::test
