// Waiting by polling, for what another core is about to do: a pause between two looks, and after a while the processor
// is offered to others, because the core that is waited for may need it (a host with fewer processors than cores, an
// emulator).
//
//     for (SpinWait wait; !is_ready(); ) wait.turn();
#pragma once

#include <cstdint>

namespace mxk {

// Whether something below (an operating system, a hypervisor) may take the processor away from a core that is not done
// with it. Then no core should be made to wait for one that waits already and may not be running. Metal finds out
// before other cores run.
inline bool processors_may_be_taken = true;

// Provided by each arch/: lets others run on the calling core's processor. On metal there are none.
void offer_processor();

class SpinWait {
  public:
    void turn() {
        if (turns_ == patience) return offer_processor();
        ++turns_;
        __builtin_ia32_pause();
    }

  private:
    // Some tens of microseconds (a pause takes 10 to 140 cycles): longer than the waits between cores that run.
    static constexpr std::uint32_t patience = 1000;

    std::uint32_t turns_ = 0;
};

} // namespace mxk
