#include "tools/simulator/model/core_turns.hpp"

#include <algorithm>

namespace mxk::simulator {

void Turns::wake(unsigned core, Time time) {
    cores_[core].clock = std::max(cores_[core].clock, time);
    cores_[core].awake = true;
}

void Turns::sleep(unsigned core) {
    cores_[core].awake = false;
}

std::uint64_t Turns::draw(std::uint64_t below) {
    return below < 2 ? 0 : random_.below(below); // how often nobody or one core is chosen depends on the host
}

/// Of those that are awake.
Time Turns::smallest_clock() const {
    Time last = never;
    for (Core const& core : cores_)
        if (core.awake) last = std::min(last, core.clock);
    return last;
}

void Turns::give_to(unsigned holder, Time lookahead) {
    holder_ = holder;
    others_ = never;
    for (unsigned core = 0; core != count(); ++core)
        if (core != holder && cores_[core].awake) others_ = std::min(others_, cores_[core].clock);
    limit_ = others_ == never ? never : cores_[holder_].clock + draw(lookahead);
}

void Turns::pass(Time lookahead) {
    Time const last = smallest_clock();
    auto const may_run = [&](Core const& core) { return core.awake && core.clock - last <= lookahead; };
    auto skipped = draw(static_cast<std::uint64_t>(std::ranges::count_if(cores_, may_run)));
    unsigned holder = 0;
    while (holder != count() && !(may_run(cores_[holder]) && skipped-- == 0)) ++holder;
    give_to(holder == count() ? nobody : holder, lookahead);
}

void Turns::pass_to_nearest(Time lookahead) {
    Time const last = smallest_clock();
    unsigned holder = holder_ == nobody ? count() - 1 : holder_;
    for (unsigned left = count(); left != 0; --left) {
        holder = holder + 1 == count() ? 0 : holder + 1;
        if (!cores_[holder].awake || cores_[holder].clock - last > lookahead) continue;
        give_to(holder, lookahead);
        return;
    }
    give_to(nobody, lookahead);
}

} // namespace mxk::simulator
