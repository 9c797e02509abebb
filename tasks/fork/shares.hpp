// The same work on each core, by tasks that are sent there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tasks/fork/entry.hpp"
#include "tasks/task_group.hpp"

namespace mxk::forks {

// Where the share of that place begins, of `count` equal ones.
constexpr std::uint64_t share_begin(std::uint64_t begin, std::uint64_t end, std::size_t place, std::size_t count) {
    std::uint64_t const size = end - begin;
    return begin + size / count * place + std::min<std::uint64_t>(size % count, place);
}

// function(core, place, count) on each core that takes part, and the caller's; it throws nothing. False, and nothing
// has run: within what is forked, without cores, or where too many tasks of this core wait already. In
// a task, whose core goes on with others meanwhile, or a thread, which waits.
template <typename Function> bool on_each_core(Function&& function) {
    ForkCore* const own = ForkCore::current();
    if (own == nullptr) {
        std::optional<CoreId> const target = core_for_thread();
        bool has_run = false;
        if (target) in_task(*target, [&] { has_run = on_each_core(function); });
        return has_run;
    }
    ForkCore::TaskWait const wait(*own);
    if (!wait.is_allowed()) return false;
    Worker& here = Worker::current();
    std::size_t const first_cores = workers::taking_part(); // once: it may change
    auto const takes_part = [&here, first_cores](CoreId core) {
        return (index(core) < first_cores && workers::serves(core)) || core == here.core();
    };
    std::size_t count = 0;
    for (std::size_t i = 0; i < workers::count(); ++i) count += takes_part(core_id(i)) ? 1U : 0U;
    auto const share = [&function, count](std::size_t place) {
        ForkCore& core = *ForkCore::current();
        ForkCore::Scope const scope(core);
        function(core, place, count);
    };
    TaskGroup group(here);
    std::size_t own_place = 0;
    std::size_t place = 0;
    for (std::size_t i = 0; i < workers::count(); ++i) {
        if (!takes_part(core_id(i))) continue;
        if (core_id(i) == here.core())
            own_place = place;
        else if (!group.spawn(here, core_id(i), [share, place](Worker&) { share(place); }))
            share(place); // no memory for a task
        ++place;
    }
    here.flush();
    share(own_place);
    group.wait();
    return true;
}

} // namespace mxk::forks
