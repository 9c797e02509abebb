#include "tasks/ticker.hpp"

#include "kernel/clock.hpp"
#include "tasks/worker.hpp"

namespace mxk {

Ticker::Tick::Tick(Ticker& its_ticker)
    : Timer([](Worker& worker, Timer& timer) {
        Ticker& self = static_cast<Tick&>(timer).ticker;
        self.function_(self.context_);
        self.wait(worker);
    })
    , ticker(its_ticker) {}

Ticker::Ticker(Nanoseconds interval, Function function, void* context)
    : interval_(interval)
    , function_(function)
    , context_(context)
    , tick_(*this) {
    wait(Worker::current());
}

Ticker::~Ticker() {
    Worker::current().timers().cancel(tick_);
}

void Ticker::wait(Worker& worker) {
    worker.timers().set(tick_, clock::timestamp() + clock::to_cycles(interval_));
}

} // namespace mxk
