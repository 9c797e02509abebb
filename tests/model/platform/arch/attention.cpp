// What both platforms make of the attention word (arch/linux/core_local.cpp, arch/x86_64/start/core_start.cpp, with the
// same orders): a core only halts while the word is zero.
#include "arch/attention.hpp"

#include "base/spin_wait.hpp"

namespace mxk::arch {

bool leave_word(CoreId core, Attention what) {
    auto const bit = static_cast<std::uint32_t>(what);
    return model_cores[index(core)]->attention.fetch_or(bit, std::memory_order_seq_cst) == 0;
}

void end_halt(CoreId core) {
    model_cores[index(core)]->ended_halts.fetch_add(1, std::memory_order_acq_rel);
}

// The system below compares once more when the core is where end_halt() finds it (a futex; interrupts off until hlt).
void halt_until_attention() {
    CoreLocal& core = core_local();
    for (;;) {
        std::uint32_t const ended = core.ended_halts.load(std::memory_order_acquire);
        if (core.attention.load(std::memory_order_seq_cst) != 0) return;
        for (SpinWait wait; core.ended_halts.load(std::memory_order_acquire) == ended;) wait.turn();
    }
}

} // namespace mxk::arch
