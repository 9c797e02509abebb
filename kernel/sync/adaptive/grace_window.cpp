#include "kernel/sync/adaptive/grace_window.hpp"

#include "kernel/sync/rcu/rcu.hpp"

namespace mxk {

void GraceWindow::close_later(rcu::Callback& callback, rcu::Urgency urgency) {
    if (rcu::periods() == nullptr) return callback.function(callback);
    rcu::call(callback, urgency);
}

} // namespace mxk
