// The programs of `bench fork-join` on OpenMP, as the compiler's library has it: `task` and `taskwait` for what is
// forked, `for schedule(static)` for loops. A team of as many threads as there are cores. A thread that waits polls for
// some milliseconds and then sleeps, which is the library's default (OMP_WAIT_POLICY is not set).
#include <array>
#include <atomic>

#include "bench/fork/fork_peer.hpp"
#include "peers/pinned_thread.hpp"

// Of omp.h, which lies with the compiler, where tools that come with another one do not find it.
extern "C" {
int omp_get_thread_num();
void omp_set_num_threads(int threads);
void omp_set_dynamic(int is_dynamic);
}

namespace mxk::bench {
namespace {

struct OpenMpForks {
    template <typename Left, typename Right> void both(Left&& left, Right&& right) {
#pragma omp task default(none) shared(right)
        {
            OpenMpForks its;
            right(its);
        }
        left(*this);
#pragma omp taskwait
    }
    template <std::size_t max, typename Body> auto sum_of_each(std::size_t count, Body&& body) {
        std::array<decltype(body(*this, count)), max> sums;
        for (std::size_t i = 1; i < count; ++i) {
#pragma omp task default(none) shared(sums, body) firstprivate(i)
            {
                OpenMpForks its;
                sums[i] = body(its, i);
            }
        }
        sums[0] = body(*this, 0);
#pragma omp taskwait
        for (std::size_t i = 1; i < count; ++i) sums[0] += sums[i];
        return sums[0];
    }
    template <typename Term> static std::uint64_t sum(std::uint64_t count, Term&& term) {
        std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) default(none) shared(count, term) reduction(+ : sum)
        for (std::uint64_t i = 0; i < count; ++i) sum += term(i);
        return sum;
    }
    template <typename Body> static void for_parts(std::uint64_t count, Body&& body) {
#pragma omp parallel for schedule(static) default(none) shared(count, body)
        for (std::uint64_t i = 0; i < count; ++i) body(i, i + 1);
    }
    template <typename Function> void enter(Function&& function) {
#pragma omp parallel default(none) shared(function)
#pragma omp single
        function(*this);
    }
};

// A team belongs to the thread that begins, and keeps its threads from one region to the next.
Result<ForkOutcome> run_openmp(ForkProgram& program, std::span<CoreId const> cores) {
    ForkOutcome outcome;
    std::atomic<bool> is_pinned{true};
    std::atomic<std::size_t> threads{0};
    try {
        run_pinned(cores[0], [&] {
            omp_set_dynamic(0);
            omp_set_num_threads(static_cast<int>(cores.size()));
#pragma omp parallel default(none) shared(cores, is_pinned, threads)
            {
                ++threads;
                if (!stay_with_core(cores[static_cast<std::size_t>(omp_get_thread_num())])) is_pinned = false;
            }
            if (is_pinned && threads == cores.size()) outcome.elapsed = program.time(OpenMpForks{});
        });
    } catch (std::exception const& failure) {
        return Error(failure.what());
    }
    if (threads != cores.size())
        return Error::of("expected {} threads, got {}: OMP_THREAD_LIMIT", cores.size(), threads.load());
    if (!is_pinned) return Error("a thread could not stay on its core's processor");
    return outcome;
}

constexpr ForkPeer openmp{
    .name = "openmp", .print_library = [](TextSink& out) { out.write(MXK_PEER_LIBRARY); }, .run = &run_openmp};
MXK_REGISTER(mxk_fork_peers, ForkPeer, openmp);

} // namespace
} // namespace mxk::bench
