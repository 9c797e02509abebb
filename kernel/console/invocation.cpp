#include "kernel/console/invocation.hpp"

#include "arch/terminal.hpp"
#include "base/format.hpp"

namespace mxk::console {

Invocation::Invocation(TextSink& output, bool any_failed_before)
    : out(output)
    , failed_before(any_failed_before) {
    arch::take_interrupt_request(); // meant for the command before, or for the line that was being typed
}

Outcome Invocation::fail(Error const& error) const {
    format(out, "error: {}\n", error.message());
    return Outcome::Failed;
}

bool Invocation::cancelled() const {
    if (arch::take_interrupt_request()) cancelled_.store(true, std::memory_order_relaxed);
    return cancelled_.load(std::memory_order_relaxed);
}

Result<void> Invocation::check_cancelled() const {
    if (cancelled()) return Error("interrupted by Ctrl-C");
    return {};
}

} // namespace mxk::console
