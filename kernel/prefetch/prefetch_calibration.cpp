#include "kernel/prefetch/prefetch_calibration.hpp"

#include <algorithm>
#include <bit>

#include "kernel/memory/node_array.hpp"
#include "kernel/prefetch/timed_walk.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

using Lines = NodeArray<LineWalk::Line>;

constexpr std::size_t min_bytes = 16 * MiB; // more than any second-level cache
constexpr std::size_t max_bytes = 128 * MiB;

// Twice what the last cache holds, if that is not too much: a power of two.
std::size_t wanted_bytes(CoreId core) {
    auto const& cores = system_topology().cores;
    std::uint64_t cached = 0;
    if (index(core) < cores.size())
        for (CacheDomain const& cache : cores[index(core)].levels.caches) cached = std::max(cached, cache.bytes);
    return std::bit_floor(std::clamp<std::size_t>(2 * cached, 2 * min_bytes, max_bytes));
}

Result<Lines> take_lines(CoreId core, NodeId node) {
    for (std::size_t bytes = wanted_bytes(core);; bytes /= 2) {
        auto lines = Lines::create(bytes / sizeof(LineWalk::Line), node);
        if (lines || bytes <= min_bytes) return lines;
    }
}

// So that the system finds all pages, and no walk has to wait for it.
void touch(std::span<LineWalk::Line> lines) {
    constexpr std::size_t lines_of_page = 4 * KiB / sizeof(LineWalk::Line);
    for (std::size_t at = 0; at < lines.size(); at += lines_of_page) {
        std::uint64_t volatile& word = lines[at].words[0];
        word = at;
    }
}

} // namespace

Result<PrefetchCalibration> calibrate_prefetching(CoreId core, NodeId node) {
    Cycles const budget = clock::to_cycles(prefetch_budget); // first: it may find out how fast the clock ticks
    Lines const lines = MXK_TRY(take_lines(core, node));
    PrefetchCalibration result;
    result.bytes = lines.size() * sizeof(LineWalk::Line);
    Cycles const start = clock::timestamp();
    touch(lines.span());
    Cycles const touched = clock::timestamp();
    LineWalk walk(lines.span());
    PrefetchMeasurement(
        result, budget, [&](PrefetchPlan const& plan) { return walk.run(plan, lines_of_walk); }, &clock::timestamp)
        .run();
    result.touching = touched - start;
    result.walking = clock::timestamp() - touched;
    return result;
}

} // namespace mxk
