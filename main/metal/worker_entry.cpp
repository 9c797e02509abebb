#include "main/metal/worker_entry.hpp"

#include <atomic>

#include "arch/core_local.hpp"
#include "base/log.hpp"
#include "tasks/attention_hook.hpp"
#include "tasks/workers.hpp"

namespace mxk::metal {
namespace {

// The first of the machine: who sends one, sends more.
void report_unclaimed(Worker& worker, AttentionHook&) {
    static constinit std::atomic<bool> is_reported{false};
    if (is_reported.exchange(true, std::memory_order_relaxed)) return; // relaxed: nothing hangs on its order
    log::warn("interrupts: core {} got one with vector {}, which nothing handles: ended, as all that follow will be",
              worker.core(), arch::core_local().unclaimed_vector);
}

} // namespace

void enter_worker(CoreId core) {
    AttentionHook unclaimed(arch::Attention::Unclaimed, &report_unclaimed); // lives as long as the core runs
    workers::of(core).add_hook(unclaimed);
    workers::enter(core);
}

} // namespace mxk::metal
