// Whose turn it is: one thread of the host runs all cores, one at a time, and the one whose clock is behind goes first.
// It runs until its clock is `lookahead` beyond the next one's. So the clocks of cores that run differ by no more than
// that and a block, and the order is the same in every run, whatever the host does. Cores that sleep hold nobody up.
#pragma once

#include <vector>

#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

class Turns {
  public:
    static constexpr unsigned nobody = ~0U;
    static constexpr Time never = ~Time{0};

    explicit Turns(unsigned cores)
        : cores_(cores) {}

    /// All sleep at first.
    unsigned holder() const { return holder_; }
    bool is_awake(unsigned core) const { return cores_[core].awake; }
    unsigned count() const { return static_cast<unsigned>(cores_.size()); }

    Time clock(unsigned core) const { return cores_[core].clock; }
    void set_clock(unsigned core, Time time) { cores_[core].clock = time; }

    /// Its clock is set to `time` if that is later. Somebody may have to pass the turn on then.
    void wake(unsigned core, Time time);
    void sleep(unsigned core);

    /// The turn goes to the core that is behind; it stays if there is none.
    void pass(Time lookahead);
    void release() { holder_ = nobody; }

    /// The holder's turn is over when its clock has passed that.
    Time limit() const { return limit_; }
    /// The smallest clock of the others that are awake; never, if there are none.
    Time others() const { return others_; }

  private:
    struct Core {
        Time clock = 0;
        bool awake = false;
    };

    std::vector<Core> cores_;
    unsigned holder_ = nobody;
    Time limit_ = never;
    Time others_ = never;
};

} // namespace mxk::simulator
