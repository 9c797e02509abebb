#include "tools/simulator/plugin/virtual_clock.hpp"

#include <array>
#include <span>
#include <stdexcept>

#include "tools/simulator/model/core_turns.hpp"

namespace mxk::simulator {
namespace {

constinit VirtualClock* the_clock = nullptr; // QEMU's functions have no parameter for it
constinit thread_local bool runs_cores = false;
constinit thread_local bool runs_timers = false;
constinit thread_local bool asks_for_itself = false;

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

/// Four words of QEMU's AccelOpsClass: the functions that it has for its interrupts and clocks. TCG leaves the clocks
/// null, which means the host's time.
struct AcceleratorFunctions {
    void (*handle_interrupt)(CPUState*, int);
    std::int64_t (*get_virtual_clock)();
    void (*set_virtual_clock)(std::int64_t);
    std::int64_t (*get_elapsed_ticks)();
};

/// Where they are in the class: behind the one function that is known by its name.
AcceleratorFunctions& find_functions() {
    constexpr std::size_t max_words = 64;
    void* const type = object_class_by_name("tcg-accel-ops");
    if (type != nullptr) {
        for (void** at = static_cast<void**>(type); at != static_cast<void**>(type) + max_words; ++at) {
            auto& functions = *reinterpret_cast<AcceleratorFunctions*>(at);
            if (functions.handle_interrupt == &tcg_handle_interrupt && functions.get_virtual_clock == nullptr &&
                functions.set_virtual_clock == nullptr && functions.get_elapsed_ticks == nullptr)
                return functions;
        }
    }
    throw std::runtime_error("expected QEMU 10.0 of Debian's backports with -accel tcg,thread=single and no -icount");
}

} // namespace

void VirtualClock::take_over() {
    AcceleratorFunctions& functions = find_functions();
    the_clock = this;
    runs_cores = true;
    functions = {handle_interrupt, get, set, get_ticks};
}

Time VirtualClock::next_timer(Time now) {
    asked_at_ = nanoseconds(now);
    asks_for_itself = true;
    std::int64_t const wait = qemu_clock_deadline_ns_all(virtual_clock_type, all_timers);
    asks_for_itself = false;
    return wait < 0 ? Turns::never : from_nanoseconds(asked_at_ + wait);
}

void VirtualClock::run_timers(Time until) {
    runs_timers = true;
    std::int64_t const to = nanoseconds(until);
    if (to > timer_time_)
        qemu_clock_advance_virtual_time(to);
    else
        qemu_clock_run_timers(virtual_clock_type); // one that a core set whose clock is a little behind
    runs_timers = false;
}

std::int64_t VirtualClock::nanoseconds(Time time) const {
    return static_cast<std::int64_t>(static_cast<unsigned __int128>(time) * nanoseconds_per_second /
                                     (static_cast<unsigned __int128>(hertz_) * per_cycle));
}

Time VirtualClock::from_nanoseconds(std::int64_t nanoseconds) const {
    auto const scaled = static_cast<unsigned __int128>(nanoseconds) * hertz_ * per_cycle;
    return static_cast<Time>((scaled + nanoseconds_per_second - 1) / nanoseconds_per_second);
}

std::int64_t VirtualClock::get() {
    VirtualClock& clock = *the_clock;
    if (runs_timers) return clock.timer_time_;
    if (asks_for_itself) return clock.asked_at_;
    if (runs_cores) return clock.nanoseconds(clock.user_.device_time());
    return 0;
}

void VirtualClock::set(std::int64_t nanoseconds) {
    the_clock->timer_time_ = nanoseconds;
}

std::int64_t VirtualClock::get_ticks() {
    Time const time = runs_cores ? the_clock->user_.ticks() : the_clock->user_.latest();
    return static_cast<std::int64_t>(time / per_cycle);
}

void VirtualClock::handle_interrupt(CPUState* core, int reasons) {
    tcg_handle_interrupt(core, reasons);
    if (reasons == core_reset_reason) return;
    VirtualClock const& clock = *the_clock;
    clock.user_.interrupt(core, runs_timers ? clock.from_nanoseconds(clock.timer_time_) : clock.user_.latest());
}

} // namespace mxk::simulator
