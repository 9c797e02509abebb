// The bound tasks of a core: its owner pushes and takes the newest, thieves take the oldest; each task is taken once.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <new>

#include "tasks/dataflow/bound_stack.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using dataflow::BoundStack;
using dataflow::ReschedulableTask; // the stack only points to it

class NumberedTask {
  public:
    explicit NumberedTask(std::uint64_t number)
        : number_(number) {}
    // Once, by who has taken it: two would race.
    std::uint64_t take() {
        std::uint64_t const number = number_;
        number_ = 0;
        WeakMemory::current().check(number != 0, "a task is taken twice");
        return number;
    }
    [[nodiscard]] bool is_taken() const { return number_ == 0; }

  private:
    ModelPlain<std::uint64_t> number_;
};
NumberedTask* numbered(ReschedulableTask* task) {
    return reinterpret_cast<NumberedTask*>(task);
}

class BoundStackUse {
  public:
    using Owner = std::function<void(BoundStackUse&)>;

    // So many thieves, each of which tries once.
    ProtocolUse use(std::string name, std::size_t thieves, Owner owner) {
        ModelProgram program;
        program.begin = [this] {
            stack_ = ModelMemory::make<BoundStack>(std::move(BoundStack::create(NodeId{}).value()));
            lock_ = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
            for (NumberedTask*& task : tasks_)
                task = static_cast<NumberedTask*>(ModelMemory::allocate(sizeof(*task), alignof(NumberedTask)));
            pushed_ = 0;
        };
        program.threads.emplace_back([this, owner] { owner(*this); });
        for (std::size_t i = 0; i < thieves; ++i)
            program.threads.emplace_back([this] {
                NumberedTask* const task = numbered(stack_->steal_oldest());
                note(task != nullptr ? task->take() : 0);
            });
        program.end = [this] {
            while (NumberedTask* const task = numbered(stack_->take_newest())) note(task->take());
            for (std::size_t i = 0; i < pushed_; ++i)
                WeakMemory::current().check(tasks_[i]->is_taken(), "a task is lost");
        };
        return {std::move(name), std::move(program)};
    }

    void push() {
        NumberedTask& task = *new (tasks_[pushed_]) NumberedTask(pushed_ + 1);
        ++pushed_;
        bool const is_pushed = stack_->push(reinterpret_cast<ReschedulableTask&>(task));
        note(is_pushed ? 1 : 0);
        if (!is_pushed) task.take();
    }
    void take() {
        NumberedTask* const task = numbered(stack_->take_newest());
        note(task != nullptr ? task->take() : 0);
    }
    // With the owner's own locked instruction between.
    void take_in_steps() {
        if (!stack_->begin_take()) return note(0);
        lock_->fetch_add(1, std::memory_order_relaxed);
        NumberedTask* const task = numbered(stack_->end_take());
        note(task != nullptr ? task->take() : 0);
    }
    void begin_and_cancel() {
        if (stack_->begin_take()) stack_->cancel_take();
    }

  private:
    BoundStack* stack_ = nullptr;
    ModelAtomic<std::uint32_t>* lock_ = nullptr;
    std::array<NumberedTask*, 4> tasks_{};
    std::size_t pushed_ = 0;
};

// What is not noticed since RC11 has no loads that see what follows from them, and C++ may.
constexpr char const* load_buffering =
    "kept: without it a slot could be written before it is read, which RC11 excludes";

TEST(Model, BoundStack) {
    BoundStackUse stack;
    Protocol("bound stack")
        .use(stack.use("the last task", 1, [](BoundStackUse& by) { by.push(), by.take(); }))
        .use(stack.use("the last task, in steps", 1, [](BoundStackUse& by) { by.push(), by.take_in_steps(); }))
        .use(stack.use("cancelled", 1, [](BoundStackUse& by) { by.push(), by.begin_and_cancel(), by.take(); }))
        .use(stack.use("two tasks", 1, [](BoundStackUse& by) { by.push(), by.push(), by.take(), by.take(); }))
        .use(stack.use("again", 1, [](BoundStackUse& by) { by.push(), by.take(), by.push(), by.take(); }))
        .use(stack.use("two thieves", 2, [](BoundStackUse& by) { by.push(), by.take(); }))
        .use(stack.use("no memory to grow", 1,
                       [](BoundStackUse& by) {
                           by.push(), by.push();
                           model_memory_is_out = true;
                           by.push(), by.take();
                       }))
        .use(stack.use("grows", 1, [](BoundStackUse& by) { by.push(), by.push(), by.push(), by.take(); }))
        .check({"bound_stack"},
               {{"bound_stack, push() load 2: without acquire", load_buffering},
                {"bound_stack, steal_oldest() store 2: without release", load_buffering},
                {"bound_stack, begin_take() condition: never", "finds under the lock that there is none"},
                {"bound_stack, end_take() condition: always", "decides under the lock, too"},
                {"bound_stack, size() condition: always", "looks under the lock"},
                {"bound_stack, steal_oldest() condition 1: never", "decides under the lock, too"},
                {"bound_stack, steal_oldest() condition 2: always", "the second look decides"},
                {"bound_stack, steal_oldest() store 3: left out", "the owner decides under the lock"}});
}

} // namespace
} // namespace mxk::test
