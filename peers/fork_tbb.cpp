// The programs of `bench fork-join` on oneTBB: a task_group for what is forked at a place, parallel_for and
// parallel_reduce with their own partitioner for loops. An arena of as many threads as there are cores, of which the
// one that begins is one.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include <array>
#include <functional>

#include "bench/fork/fork_peer.hpp"
#include "peers/tbb_pinning.hpp"

namespace mxk::bench {
namespace {

struct TbbForks {
    template <typename Left, typename Right> void both(Left&& left, Right&& right) {
        oneapi::tbb::task_group group;
        group.run([&right] {
            TbbForks its;
            right(its);
        });
        left(*this);
        group.wait();
    }
    template <std::size_t max, typename Body> auto sum_of_each(std::size_t count, Body&& body) {
        std::array<decltype(body(*this, count)), max> sums;
        oneapi::tbb::task_group group;
        for (std::size_t i = 1; i < count; ++i)
            group.run([&sums, &body, i] {
                TbbForks its;
                sums[i] = body(its, i);
            });
        sums[0] = body(*this, 0);
        group.wait();
        for (std::size_t i = 1; i < count; ++i) sums[0] += sums[i];
        return sums[0];
    }
    template <typename Term> static std::uint64_t sum(std::uint64_t count, Term&& term) {
        return oneapi::tbb::parallel_reduce(
            oneapi::tbb::blocked_range<std::uint64_t>(0, count), std::uint64_t{0},
            [&term](auto const& part, std::uint64_t sum) {
                for (std::uint64_t i = part.begin(); i < part.end(); ++i) sum += term(i);
                return sum;
            },
            std::plus<>());
    }
    template <typename Body> static void for_parts(std::uint64_t count, Body&& body) {
        oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::uint64_t>(0, count),
                                  [&body](auto const& part) { body(part.begin(), part.end()); });
    }
    template <typename Function> void enter(Function&& function) { function(*this); }
};

Result<ForkOutcome> run_tbb(ForkProgram& program, std::span<CoreId const> cores) {
    ForkOutcome outcome;
    bool is_pinned = false;
    try {
        run_pinned(cores[0], [&] {
            using oneapi::tbb::global_control;
            global_control const limit(global_control::max_allowed_parallelism, cores.size());
            oneapi::tbb::task_arena arena(static_cast<int>(cores.size()), 1);
            SlotPinning const pinning(arena, {cores.begin(), cores.end()});
            arena.execute([&] { outcome.elapsed = program.time(TbbForks{}); });
            is_pinned = pinning.held();
        });
    } catch (std::exception const& failure) {
        return Error(failure.what());
    }
    if (!is_pinned) return Error("a thread could not stay on its core's processor");
    return outcome;
}

constexpr ForkPeer tbb{
    .name = "tbb",
    .print_library = [](TextSink& out) { format(out, "oneTBB {}", std::string_view(TBB_runtime_version())); },
    .run = &run_tbb};
MXK_REGISTER(mxk_fork_peers, ForkPeer, tbb);

} // namespace
} // namespace mxk::bench
