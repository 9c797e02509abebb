#include "main/metal/terminal_polling.hpp"

#include "arch/x86_64/board/serial.hpp"
#include "base/panic.hpp"
#include "kernel/clock.hpp"

namespace mxk::metal {
namespace {

void set_again(Worker& worker, Timer& timer) {
    constexpr Nanoseconds interval{1'000'000};
    worker.timers().set(timer, clock::timestamp() + clock::to_cycles(interval));
}

} // namespace

void poll_terminal(Worker& worker) {
    auto* const timer = worker.create<Timer>([](Worker& its_worker, Timer& its_timer) {
        arch::serial::poll();
        set_again(its_worker, its_timer);
    });
    expect(timer != nullptr, "a core has memory for its timers");
    set_again(worker, *timer); // for ever
}

} // namespace mxk::metal
