// Where and when a coroutine continues: what it co_awaits to end its turn. Its task is appended to a queue, as a task
// with bodies does by `task.body = ...; worker.append(task, core)`; others run meanwhile, and FIFO per sender holds.
// All of them give the worker of the core on which the coroutine continues: one from before may be another core's.
//
//     Worker& there = co_await move_to(core, Annotation::reads(object, bytes));
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "tasks/worker.hpp"

namespace mxk {

// Scalars, because a compiler keeps a temporary object of a class in the frame, in one more cache line than needed:
//
//     127       96   95   64   63          0
//     |     -      |  core  |  annotation  |
__extension__ using NextTurnBits = unsigned __int128;
enum class NextTurn : NextTurnBits {};
enum class NextTurnAtHome : std::uint64_t {}; // the annotation

// The rest runs on the core `target`. `touches`: what it will touch there. To the calling core itself: as yield().
[[nodiscard]] inline NextTurn move_to(CoreId target, Annotation touches) {
    return static_cast<NextTurn>(NextTurnBits{index(target)} << 64 | std::bit_cast<std::uint64_t>(touches));
}
[[nodiscard]] inline NextTurn move_to(CoreId target) {
    return static_cast<NextTurn>(NextTurnBits{index(target)} << 64);
}

// The rest runs on the core where the coroutine was called, to which its frame belongs.
[[nodiscard]] inline NextTurnAtHome move_home(Annotation touches) {
    return std::bit_cast<NextTurnAtHome>(touches);
}
[[nodiscard]] inline NextTurnAtHome move_home() {
    return NextTurnAtHome{0};
}

// The rest runs on this core when all that stands in its queue now has run.
[[nodiscard]] inline NextTurn yield() {
    return move_to(Worker::current().core());
}

// The rest runs on this core with `bytes` from `address` on in its cache, as far as hints go: the worker asks for their
// lines some tasks before this one's turn, and other tasks run while they come. A wrong address does no harm.
[[nodiscard]] inline NextTurn prefetched(void const* address, std::size_t bytes = 1) {
    return move_to(Worker::current().core(), Annotation::reads(address, bytes));
}

constexpr CoreId core_of(NextTurn turn) {
    return core_id(static_cast<std::size_t>(static_cast<NextTurnBits>(turn) >> 64));
}
constexpr Annotation touches_of(NextTurn turn) {
    return std::bit_cast<Annotation>(static_cast<std::uint64_t>(turn));
}
constexpr Annotation touches_of(NextTurnAtHome turn) {
    return std::bit_cast<Annotation>(turn);
}

} // namespace mxk
