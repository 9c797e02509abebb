#include "bench/machine/chase.hpp"

#include <algorithm>

#include "base/prefetch.hpp"
#include "base/splitmix.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/statistics.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

// Loads that are timed together, no fewer: the time stamps around them are nothing beside them.
constexpr std::size_t min_piece = std::size_t{1} << 16;
// From so many places on a lap is timed as a whole, and nothing needs to be brought into a cache before.
constexpr std::size_t long_lap = std::size_t{1} << 20;

} // namespace

void link_places(ChaseRoom const& room, std::uint64_t seed) {
    // How many random places are asked for ahead: without, each step waits for its line.
    constexpr std::size_t ahead = 16;
    auto const drawn = [&](std::size_t at) {
        std::uint64_t const random = splitmix(seed + at * splitmix_step);
        return static_cast<std::size_t>(static_cast<unsigned __int128>(random) * at >> 64); // below `at`
    };
    // Sattolo's algorithm, from the inside out: a cycle of `at` places becomes one of at + 1.
    room.place(0)->next = room.place(0);
    for (std::size_t at = 1; at < room.count; ++at) {
        if (at + ahead < room.count) prefetch_for_write(room.place(drawn(at + ahead)));
        ChaseRoom::Place* const before = room.place(drawn(at));
        room.place(at)->next = before->next;
        before->next = room.place(at);
    }
}

ChaseRoom::Place* follow(ChaseRoom::Place* place, std::size_t steps) {
    for (; steps > 0; --steps) place = place->next;
    return place;
}

LapMarks LapMarks::of(std::size_t count) {
    LapMarks marks;
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

ChaseRun::ChaseRun(ChaseRoom const& room, std::size_t loads)
    : room_(room)
    , loads_(loads)
    , piece_(std::max(min_piece, std::max(room.count, loads) / (max_pieces / 2)))
    , marks_(LapMarks::of(room.count))
    , at_(room.place(0))
    , is_timed_(room.count >= long_lap && room.count >= loads) {}

bool ChaseRun::advance() {
    if (ended_) return false;
    if (step_ == 0) measured_part_begins();
    if (step_ < room_.count)
        check_lap_further();
    else
        run_laps();
    ended_ = step_ == room_.count && (is_timed_ || timed_loads_ >= loads_);
    if (ended_) measured_part_ends();
    return !ended_;
}

// To the next mark, the end of the lap or of the piece, whichever comes first.
void ChaseRun::check_lap_further() {
    auto const marks = marks_.steps();
    auto const next = std::upper_bound(marks.begin(), marks.end(), step_);
    std::size_t const stop = next != marks.end() ? *next : room_.count;
    std::size_t const steps = std::min(stop - step_, piece_);
    Cycles const time = time_steps(steps);
    step_ += steps;
    if (is_timed_) count_piece(steps, time);
    bool const at_start = at_ == room_.place(0);
    if (step_ == stop) verified_ = verified_ && at_start == (step_ == room_.count);
}

void ChaseRun::run_laps() {
    std::size_t const laps = std::max<std::size_t>(std::min(piece_, loads_ - timed_loads_) / room_.count, 1);
    count_piece(laps * room_.count, time_steps(laps * room_.count));
    verified_ = verified_ && at_ == room_.place(0);
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

} // namespace mxk::bench
