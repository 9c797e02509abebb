#include "bench/table/model_check.hpp"

#include <array>
#include <span>
#include <string_view>

#include "bench/frame/name_set.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk::bench {
namespace {

struct Use {
    bool is_asked;
    std::string_view option;
};

Result<void> check_none(std::span<Use const> uses, std::string_view expected, TableOptions const& options) {
    for (Use const& use : uses) {
        if (!use.is_asked) continue;
        return Error::of("{}: expected --model {}, got --model {}", use.option, expected, name_of(options.model));
    }
    return {};
}

Result<void> check_tasks(TableOptions const& options) {
    std::array const of_threads{Use{options.semaphore.has_value(), "--semaphore"},
                                Use{options.slice.has_value(), "--slice"}};
    return check_none(of_threads, "threads", options);
}

// Threads take operations from their queue and carry them out: nothing is submitted, nothing travels.
Result<void> check_threads(TableOptions const& options) {
    std::array const of_tasks{Use{options.submit != Submit::Task, "--submit batch"},
                              Use{options.notation != Notation::Function, "--notation coroutine"},
                              Use{options.walk != Walk::Whole, "--walk interleaved"},
                              Use{options.prefetch.has_value(), "--prefetch"},
                              Use{!options.owners.empty(), "--owners"},
                              Use{options.latency, "--latency"},
                              Use{options.task_times, "--task-times"}};
    MXK_TRY(check_none(of_tasks, "tasks", options));
    if (!Semaphore::supports(semaphore_kind(options)))
        return Error("--semaphore syscall: expected fast, the kind that this build has (the bare machine has both)");
    return {};
}

Result<void> check_unsafe(TableOptions const& options) {
    std::array const of_semaphores{Use{options.semaphore.has_value(), "--semaphore"}};
    MXK_TRY(check_none(of_semaphores, "threads", options));
    if (options.layout != Layout::Chained || options.initial_slots)
        return Error("--model threads-unsafe: expected --layout chained without --initial-slots, where a race loses "
                     "entries; in a table that grows it would write to memory that was given back");
    return {};
}

} // namespace

Result<void> check_model(TableOptions const& options) {
    if (options.model == Model::Tasks) return check_tasks(options);
    MXK_TRY(check_threads(options));
    return options.model == Model::ThreadsUnsafe ? check_unsafe(options) : Result<void>();
}

} // namespace mxk::bench
