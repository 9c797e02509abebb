#include "tools/simulator/plugin/turns.hpp"

#include <algorithm>

namespace mxk::simulator {

void Turns::wake(unsigned core, Time time) {
    cores_[core].clock = std::max(cores_[core].clock, time);
    cores_[core].awake = true;
}

void Turns::sleep(unsigned core) {
    cores_[core].awake = false;
}

void Turns::pass(Time lookahead) {
    holder_ = nobody;
    others_ = never;
    Time smallest = never;
    for (unsigned core = 0; core != count(); ++core) {
        if (!cores_[core].awake) continue;
        Time const clock = cores_[core].clock;
        if (clock < smallest) {
            others_ = smallest;
            smallest = clock;
            holder_ = core;
        } else {
            others_ = std::min(others_, clock);
        }
    }
    limit_ = others_ == never ? never : others_ + lookahead;
}

} // namespace mxk::simulator
