// Tasks and threads that wait until something has happened, or look whether it has: what was done before is visible,
// all are told, and a waiter may destroy it then.
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "tasks/count_down.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

class CountDownUse {
  public:
    using Body = std::function<void(CountDownUse&)>;

    // Threads, of which the first `cores` are cores.
    ProtocolUse use(std::string name, std::size_t cores, std::size_t times, std::vector<Body> const& bodies) {
        ModelProgram program;
        program.begin = [this, cores, times] {
            arch::make_model_cores(cores);
            make_model_workers(cores);
            counted_ = ModelMemory::make<CountDown>(times);
            done_ = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
        };
        for (Body const& body : bodies) program.threads.emplace_back([this, body] { body(*this); });
        return {std::move(name), std::move(program)};
    }
    void work() { *done_ += 1; } // two at once would race
    void count() { counted_->count(); }
    void wait() {
        counted_->wait();
        note(done_->read());
    }
    // In its place comes another one, which a late look of count() would race with.
    void wait_and_destroy() {
        wait();
        new (counted_) CountDown(7);
    }
    void look() { note(counted_->is_over() ? 1 + done_->read() : 0); }

  private:
    CountDown* counted_ = nullptr;
    ModelPlain<std::uint32_t>* done_ = nullptr;
};

TEST(Model, CountDown) {
    CountDownUse use;
    auto const ends = [](CountDownUse& by) { by.work(), by.count(); };
    auto const counts = [](CountDownUse& by) { by.count(); };
    auto const waits = [](CountDownUse& by) { by.wait(); };
    auto const waits_twice = [](CountDownUse& by) { by.wait(), by.wait(); };
    auto const destroys = [](CountDownUse& by) { by.wait_and_destroy(); };
    auto const looks = [](CountDownUse& by) { by.look(), by.look(); };
    Protocol("count down")
        .use(use.use("a task waits", 2, 1, {destroys, ends}))
        .use(use.use("a thread waits", 1, 1, {ends, destroys}))
        .use(use.use("both wait", 2, 1, {waits, ends, waits}))
        .use(use.use("two threads wait", 1, 1, {ends, waits, waits_twice}))
        .use(use.use("twice", 2, 2, {counts, ends, destroys}))
        .use(use.use("a look", 2, 1, {looks, ends}))
        .check({"count_down,"},
               {{"count_down, wait() condition 1: always", "a task that blocks its core is told, too"}});
}

} // namespace
} // namespace mxk::test
