#include "bench/machine/chase.hpp"

#include <algorithm>
#include <array>

#include "base/prefetch.hpp"
#include "base/splitmix.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

// Loads that are timed together, no fewer: the time stamps around them are nothing beside them.
constexpr std::size_t min_piece = std::size_t{1} << 16;
// From so many places on a lap is timed as a whole, and nothing needs to be brought into a cache before.
constexpr std::size_t long_lap = std::size_t{1} << 20;

} // namespace

void link_places(ChaseLayout const& layout, std::uint64_t seed) {
    // How many random places are asked for ahead: without, each step waits for its line.
    constexpr std::size_t ahead = 16;
    auto const drawn = [&](std::size_t at) {
        std::uint64_t const random = splitmix(seed + at * splitmix_step);
        return static_cast<std::size_t>(static_cast<unsigned __int128>(random) * at >> 64); // below `at`
    };
    // Sattolo's algorithm, from the inside out: a cycle of `at` places becomes one of at + 1.
    layout.place(0)->next = layout.place(0);
    for (std::size_t at = 1; at < layout.count; ++at) {
        if (at + ahead < layout.count) prefetch_for_write(layout.place(drawn(at + ahead)));
        ChaseLayout::Place* const before = layout.place(drawn(at));
        layout.place(at)->next = before->next;
        before->next = layout.place(at);
    }
}

ChaseLayout::Place* follow(ChaseLayout::Place* place, std::size_t steps) {
    for (; steps > 0; --steps) place = place->next;
    return place;
}

CycleCheckpoints CycleCheckpoints::of(std::size_t count) {
    CycleCheckpoints marks;
    auto const add = [&](std::size_t prime) { marks.steps_[marks.size_++] = count / prime; };
    std::size_t rest = count;
    for (std::size_t factor = 2; factor <= rest / factor; ++factor) {
        if (rest % factor != 0) continue;
        add(factor);
        while (rest % factor == 0) rest /= factor;
    }
    if (rest > 1) add(rest);
    std::sort(marks.steps_.begin(), marks.steps_.begin() + static_cast<std::ptrdiff_t>(marks.size_));
    return marks;
}

ChaseRun::ChaseRun(ChaseLayout const& layout, std::size_t loads)
    : layout_(layout)
    , loads_(loads)
    , piece_(std::max(min_piece, std::max(layout.count, loads) / (max_pieces / 2)))
    , checkpoints_(CycleCheckpoints::of(layout.count))
    , at_(layout.place(0))
    , is_timed_(layout.count >= long_lap && layout.count >= loads) {}

bool ChaseRun::advance() {
    if (ended_) return false;
    if (step_ == 0) measured_part_begins();
    if (step_ < layout_.count)
        check_lap_further();
    else
        run_laps();
    ended_ = step_ == layout_.count && (is_timed_ || timed_loads_ >= loads_);
    if (ended_) measured_part_ends();
    return !ended_;
}

// To the next checkpoint, the end of the lap or of the piece, whichever comes first.
void ChaseRun::check_lap_further() {
    auto const marks = checkpoints_.steps();
    auto const next = std::upper_bound(marks.begin(), marks.end(), step_);
    std::size_t const stop = next != marks.end() ? *next : layout_.count;
    std::size_t const steps = std::min(stop - step_, piece_);
    Cycles const time = time_steps(steps);
    step_ += steps;
    if (is_timed_) count_piece(steps, time);
    bool const at_start = at_ == layout_.place(0);
    if (step_ == stop) verified_ = verified_ && at_start == (step_ == layout_.count);
}

void ChaseRun::run_laps() {
    std::size_t const laps = std::max<std::size_t>(std::min(piece_, loads_ - timed_loads_) / layout_.count, 1);
    count_piece(laps * layout_.count, time_steps(laps * layout_.count));
    verified_ = verified_ && at_ == layout_.place(0);
}

// A piece beyond the room for them belongs to the run, but has no part in the median.
void ChaseRun::count_piece(std::size_t steps, Cycles time) {
    timed_loads_ += steps;
    if (pieces_ < max_pieces) cycles_[pieces_++] = static_cast<double>(raw(time)) / static_cast<double>(steps);
}

double ChaseRun::median_cycles() const {
    auto cycles = cycles_;
    return percentile(std::span(cycles).first(pieces_), 50);
}

Cycles ChaseRun::time_steps(std::size_t steps) {
    Cycles const start = clock::timestamp();
    at_ = follow(at_, steps);
    asm volatile("" : : "r"(at_) : "memory"); // the last load belongs to it
    return clock::timestamp() - start;
}

Sample sample_of(ChaseRun const& run) {
    return {.value = run.median_cycles() * 1e9 / static_cast<double>(clock::frequency()),
            .operations = run.timed_loads(),
            .verified = run.verified()};
}

Result<Sample> measure_chase(CoreId core, ChaseLayout const& layout, std::size_t loads, Progress const& progress) {
    std::array const cores{core};
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t) {
        link_places(layout, chase_seed);
        return Step::Done;
    }));
    ChaseRun run(layout, loads);
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t) {
        return run.advance() && !progress.interrupted() ? Step::Again : Step::Done;
    }));
    return sample_of(run);
}

} // namespace mxk::bench
