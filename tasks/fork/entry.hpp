// Where the algorithms over forks begin: on the calling core, or, in a thread that is none, on one that it waits for.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "arch/nearest_core.hpp"
#include "tasks/count_down.hpp"
#include "tasks/fork/fork_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::forks {

// The core that runs what a thread wants done: its own processor's, or another one. None: no core runs tasks by itself.
inline std::optional<CoreId> core_for_thread() {
    if (CoreId const own = arch::nearest_core(); workers::serves(own)) return own;
    for (std::size_t i = 0; i < workers::count(); ++i)
        if (workers::serves(core_id(i))) return core_id(i);
    return std::nullopt;
}

// Gives function(core), called in a task: the caller's, else as a task of some core, which the calling thread waits
// for; where no core runs tasks by itself, in the calling thread alone. What it throws is thrown here.
template <typename Function> auto enter(Function&& function) -> std::invoke_result_t<Function&, ForkCore&> {
    using Result = std::invoke_result_t<Function&, ForkCore&>;
    if (ForkCore* const core = ForkCore::current(); core != nullptr) {
        ForkCore::Scope const scope(*core);
        return function(*core);
    }
    std::optional<CoreId> const target = core_for_thread();
    if (!target) {
        ForkCore alone;
        return function(alone);
    }
    struct EntryTask : Task {
        explicit EntryTask(Function& its_function)
            : Task([](Worker&, Task& task) {
                auto& self = static_cast<EntryTask&>(task);
                self.failure.keep_from([&self] {
                    ForkCore& core = *ForkCore::current();
                    ForkCore::Scope const scope(core);
                    if constexpr (std::is_void_v<Result>)
                        self.function(core);
                    else
                        self.result.emplace(self.function(core));
                });
                self.is_over.count();
            })
            , function(its_function) {}
        Function& function;
        [[no_unique_address]] std::conditional_t<std::is_void_v<Result>, std::monostate, std::optional<Result>> result;
        ForkFailure failure;
        CountDown is_over{1};
    } task(function);
    workers::of(*target).append_from_outside(task);
    task.is_over.wait();
    task.failure.throw_again();
    if constexpr (!std::is_void_v<Result>) return std::move(*task.result);
}

} // namespace mxk::forks
