// Where the algorithms over forks begin: on the calling core, or, in a thread that is none, on one that it waits for.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "arch/nearest_core.hpp"
#include "tasks/count_down.hpp"
#include "tasks/fork/fork_core.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"

namespace mxk::forks {

// The core that runs what a thread wants done: its own processor's, or another one. None: no core runs tasks by itself.
inline std::optional<CoreId> core_for_thread() {
    if (CoreId const own = arch::nearest_core(); workers::takes_part(own)) return own;
    for (std::size_t i = 0; i < workers::count(); ++i)
        if (workers::takes_part(core_id(i))) return core_id(i);
    return std::nullopt;
}

// function(), which throws nothing, as a task of that core, which runs tasks by itself; waits for it. In a task, whose
// core goes on with other tasks meanwhile; or in a thread.
template <typename Function> void in_task(CoreId core, Function function) {
    if (arch::runs_task())
        return run_on_one(core, [&](Worker&) {
            function();
            return Step::Done;
        });
    struct EntryTask : Task {
        explicit EntryTask(Function& its_function)
            : Task([](Worker&, Task& task) {
                auto& self = static_cast<EntryTask&>(task);
                self.function();
                self.is_over.count();
            })
            , function(its_function) {}
        Function& function;
        CountDown is_over{1};
    } task(function);
    workers::of(core).append_from_outside(task);
    task.is_over.wait();
}

// Gives function(), called there, as above. What it throws is thrown here.
template <typename Function> auto call_on(CoreId core, Function&& function) -> std::invoke_result_t<Function&> {
    using Result = std::invoke_result_t<Function&>;
    ForkFailure failure;
    std::conditional_t<std::is_void_v<Result>, std::monostate, std::optional<Result>> result;
    in_task(core, [&] {
        failure.keep_from([&] {
            if constexpr (std::is_void_v<Result>)
                function();
            else
                result.emplace(function());
        });
    });
    failure.throw_again();
    if constexpr (!std::is_void_v<Result>) return std::move(*result);
}

// Gives function(core), called in a task: the caller's, else as a task of some core, which the calling thread waits
// for; where no core runs tasks by itself, in the calling thread alone. What it throws is thrown here.
template <typename Function> auto enter(Function&& function) -> std::invoke_result_t<Function&, ForkCore&> {
    auto const begin = [&function] {
        ForkCore& core = *ForkCore::current();
        ForkCore::Scope const scope(core);
        return function(core);
    };
    if (ForkCore::current() != nullptr) return begin();
    if (std::optional<CoreId> const target = core_for_thread()) return call_on(*target, begin);
    ForkCore alone;
    return function(alone);
}

} // namespace mxk::forks
