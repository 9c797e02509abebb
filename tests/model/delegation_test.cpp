// The lock that is given sections: each is executed once and alone, its user finds what it has done, and a combiner
// executes no more than it may before another one goes on.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "locks/delegation_lock.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

constexpr std::uint64_t max_combined = 2; // of sources.toml

class DelegationUse {
  public:
    // `sections`: of each thread.
    ProtocolUse use(std::string name, std::vector<std::size_t> const& sections) {
        ModelProgram program;
        program.begin = [this] {
            AsModelThread const first(1);
            lock_ = ModelMemory::make<locks::DelegationLock>();
            executed_ = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
            combiner_ = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
            in_a_row_ = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
        };
        for (std::size_t const count : sections)
            program.threads.emplace_back([this, count] {
                for (std::size_t i = 0; i < count; ++i) run();
            });
        std::size_t all = 0;
        for (std::size_t const count : sections) all += count;
        program.end = [this, all] {
            WeakMemory::current().check(*executed_ == all, "a section is lost");
            AsModelThread const first(1);
            lock_->~DelegationLock();
        };
        return {std::move(name), std::move(program)};
    }

  private:
    void run() {
        WeakMemory& memory = WeakMemory::current();
        std::uint64_t const user = memory.self();
        ModelPlain<std::uint64_t> times(0U);
        auto section = [&] {
            std::uint64_t const executes = memory.self();
            bool const goes_on = *combiner_ == executes && executes != user;
            *in_a_row_ = goes_on ? *in_a_row_ + 1 : 0; // others', behind its own
            memory.check(*in_a_row_ < max_combined, "a combiner goes on for too long");
            *combiner_ = executes;
            *executed_ += 1;
            times += 1;
        };
        lock_->run(section);
        memory.check(times == 1, "a section was not executed once");
        note(times);
    }

    locks::DelegationLock* lock_ = nullptr;
    ModelPlain<std::uint64_t>* executed_ = nullptr;
    ModelPlain<std::uint64_t>* combiner_ = nullptr;
    ModelPlain<std::uint64_t>* in_a_row_ = nullptr;
};

TEST(Model, Delegation) {
    DelegationUse lock;
    Protocol("delegation")
        .use(lock.use("two", {1, 1}))
        .use(lock.use("two, one of them twice", {2, 1}))
        .use(lock.use("three", {1, 1, 1}))
        .check({"delegation,"}, {});
}

} // namespace
} // namespace mxk::test
