// Whose turn it is: one thread of the host runs all cores, one at a time. The next one is drawn from those that are
// less than `lookahead` ahead of the last one, and runs for a time that is drawn, too, of no more than that. So the
// clocks of cores that run differ by less than twice that and a block.
//
// Why it is drawn: in a fixed order cores that wait for each other fall into step. One that releases a lock and takes
// it again did both in one turn for ever, and others never saw it free (SeaBIOS does that when it starts cores). The
// order is the same in every run with one seed, whatever the host does. Cores that sleep hold nobody up.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/chance.hpp"
#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

class Turns {
  public:
    static constexpr unsigned nobody = ~0U;
    static constexpr Time never = ~Time{0};

    Turns(unsigned cores, std::uint64_t seed)
        : cores_(cores)
        , random_(seed) {}

    /// All sleep at first.
    unsigned holder() const { return holder_; }
    bool is_awake(unsigned core) const { return cores_[core].awake; }
    unsigned count() const { return static_cast<unsigned>(cores_.size()); }

    Time clock(unsigned core) const { return cores_[core].clock; }
    void set_clock(unsigned core, Time time) { cores_[core].clock = time; }

    /// Its clock is set to `time` if that is later. Somebody may have to pass the turn on then.
    void wake(unsigned core, Time time);
    void sleep(unsigned core);

    /// The next turn; nobody's, if all sleep.
    void pass(Time lookahead);
    /// The next turn, of the first one behind the holder that may run: the emulator, which goes round its cores, comes
    /// to it soonest. Where cores need not be in an order that no program can rely on.
    void pass_to_nearest(Time lookahead);

    /// The holder's turn is over when its clock has passed that.
    Time limit() const { return limit_; }
    /// The smallest clock of the others that are awake; never, if there are none.
    Time others() const { return others_; }

  private:
    struct Core {
        Time clock = 0;
        bool awake = false;
    };

    std::uint64_t draw(std::uint64_t below);
    Time smallest_clock() const;
    void give_to(unsigned holder, Time lookahead);

    std::vector<Core> cores_;
    Random random_;
    unsigned holder_ = nobody;
    Time limit_ = never;
    Time others_ = never;
};

} // namespace mxk::simulator
