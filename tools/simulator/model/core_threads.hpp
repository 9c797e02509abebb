// What the threads of a core (SMT) share besides its caches and buffers of misses: the instructions that it dispatches
// in a cycle; and in equal parts, as long as more than one is awake, its window and its store buffer (SDM volume 3,
// "Intel Hyper-Threading Technology Architecture": shared and partitioned resources).
#pragma once

#include "tools/simulator/model/bandwidth.hpp"
#include "tools/simulator/model/machine_model.hpp"

namespace mxk::simulator {

class CoreThreads {
  public:
    explicit CoreThreads(CoreParameters const& core)
        : slots_(core.width) {}

    /// One has begun to run, or has stopped.
    void wakes() { ++awake_; }
    void sleeps() { --awake_; }

    bool are_several() const { return awake_ > 1; }
    /// Of so many entries, what one thread may use now.
    std::size_t part_of(std::size_t entries) const { return are_several() ? entries / awake_ : entries; }

    /// An instruction of one of several is dispatched: how much later than if the others had dispatched nothing.
    Time dispatch(Time at) { return slots_.book(at, 1); }

  private:
    Bandwidth slots_; // an instruction counts as a byte
    unsigned awake_ = 0;
};

} // namespace mxk::simulator
