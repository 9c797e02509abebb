// Simulated time in QEMU's machine: the time stamp counter, and the clock that timers and timer devices go by, follow
// the cores' clocks. QEMU asks its accelerator for both; the accelerator's functions are replaced.
//
// Timers are run by the simulator, when all cores have come to their time; QEMU's main loop sees a clock that stands
// still at 0, so it neither runs timers nor polls for them.
#pragma once

#include <cstdint>

#include "tools/simulator/model/time.hpp"
#include "tools/simulator/plugin/emulator.hpp"

namespace mxk::simulator {

/// What runs the cores, as the clock sees it.
class ClockUser {
  public:
    virtual Time ticks() = 0;       // a core reads its time stamp counter, and goes on
    virtual Time device_time() = 0; // a device that a core talks to asks for the time
    virtual void interrupt(CPUState* core,
                           Time at) = 0; // somebody interrupts that core, then; perhaps on other threads
    virtual Time latest() const = 0;     // of all times that were told

  protected:
    ~ClockUser() = default;
};

class VirtualClock {
  public:
    VirtualClock(ClockUser& user, std::uint64_t hertz)
        : user_(user)
        , hertz_(hertz) {}

    /// From now on QEMU asks here. The calling thread is the one that runs the cores. Throws std::runtime_error if this
    /// is another QEMU than expected.
    void take_over();

    /// When the next timer is due; Turns::never, if none is. With the big lock.
    Time next_timer(Time now);
    /// Runs what is due until then. With the big lock; any thread.
    void run_timers(Time until);

  private:
    std::int64_t nanoseconds(Time time) const;
    Time from_nanoseconds(std::int64_t nanoseconds) const; // that time has come then

    static std::int64_t get();
    static void set(std::int64_t nanoseconds);
    static std::int64_t get_ticks();
    static void handle_interrupt(CPUState* core, int reasons);

    ClockUser& user_;
    std::uint64_t hertz_;
    std::int64_t timer_time_ = 0; // ns: to which timers have been run
    std::int64_t asked_at_ = 0;   // ns: when the next timer is asked for
};

} // namespace mxk::simulator
