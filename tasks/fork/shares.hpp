// The same work on each core, by tasks that are sent there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel/memory/node_array.hpp"
#include "tasks/fork/entry.hpp"

namespace mxk::forks {

// Where the share of that place begins, of `count` equal ones.
constexpr std::uint64_t share_begin(std::uint64_t begin, std::uint64_t end, std::size_t place, std::size_t count) {
    std::uint64_t const size = end - begin;
    return begin + size / count * place + std::min<std::uint64_t>(size % count, place);
}

// function(core, place, count) on each core that takes part, and the caller's; it throws nothing. False, and nothing
// has run: within what is forked, without cores, or without memory. In a task, or a thread, which waits.
template <typename Function> bool on_each_core(Function&& function) {
    ForkCore* const own = ForkCore::current();
    if (own == nullptr) {
        std::optional<CoreId> const target = core_for_thread();
        bool has_run = false;
        if (target) in_task(*target, [&] { has_run = on_each_core(function); });
        return has_run;
    }
    if (own->is_within()) return false;
    Worker& here = Worker::current();
    auto const room = NodeArray<CoreId>::create(workers::count(), here.node());
    if (!room) return false;
    std::size_t count = 0;
    for (std::size_t i = 0; i < workers::count(); ++i)
        if (workers::takes_part(core_id(i)) || core_id(i) == here.core()) room.value()[count++] = core_id(i);
    return run_on(std::span<CoreId const>(room.value().data(), count), [&](Worker&, std::size_t place) {
        ForkCore& core = *ForkCore::current();
        ForkCore::Scope const scope(core);
        function(core, place, count);
        return Step::Done;
    });
}

} // namespace mxk::forks
