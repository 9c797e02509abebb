#include "tasks/ticker.hpp"

namespace mxk {
namespace {

constinit Ticker* active = nullptr;

} // namespace

Ticker::Ticker(Nanoseconds interval, Function function, void* context)
    : interval_(interval)
    , function_(function)
    , context_(context) {
    expect(active == nullptr, "one ticker at a time");
    active = this;
    Worker::current().on(arch::Attention::Timer, [](Worker&) {
        if (active == nullptr) return; // the last shot of one that is gone
        active->function_(active->context_);
        arch::arm_timer(active->interval_);
    });
    arch::arm_timer(interval_);
}

Ticker::~Ticker() {
    active = nullptr;
}

} // namespace mxk
