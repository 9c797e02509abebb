#include "arch/core_local.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "arch/attention.hpp"
#include "arch/sections.hpp"
#include "base/panic.hpp"

namespace mxk::arch {

thread_local constinit CoreLocal* this_core = nullptr;

namespace {

// Written by each core once, before anybody sends it anything. Never freed when the program ends: a wake-up may still
// be under way then.
constinit std::atomic<CoreLocal*>* locals = nullptr;
constinit std::size_t local_count = 0;

// std::atomic's own wait spins and yields first, which the worker has done already.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

} // namespace

void no_core() {
    panic("expected a core of a Runtime, which runs tasks and what is given to Runtime::run(): this thread is none");
}

void reserve_cores(std::size_t count) {
    forget_timers(); // whose thread outlives the cores
    delete[] locals;
    locals = new std::atomic<CoreLocal*>[count] {};
    local_count = count;
}

void adopt_core(CoreLocal& local, CoreId id) {
    expect(index(id) < local_count, "there is room for the core");
    local.id = id;
    this_core = &local;
    be_core_reader();
    locals[index(id)].store(&local, std::memory_order_release); // pairs with local_of()
}

CoreLocal* local_of(CoreId core) {
    return index(core) < local_count ? locals[index(core)].load(std::memory_order_acquire) : nullptr;
}

void halt_until_attention() {
    std::atomic<std::uint32_t>& word = core_local().attention;
    // The kernel compares once more before it lets the thread sleep, so nothing is missed. seq_cst: after what the core
    // has said of its halt before; pairs with leave_word().
    while (word.load(std::memory_order_seq_cst) == 0) futex(word, FUTEX_WAIT_PRIVATE, 0);
}

bool leave_word(CoreId core, Attention what) {
    CoreLocal* const local = local_of(core);
    expect(local != nullptr, "a core that is notified is there");
    // seq_cst, and so a release: what the bit announces is visible before it, and who looks then whether the core halts
    // finds that it does, or it sees the bit before. A word that was not zero has ended the halt already.
    return local->attention.fetch_or(static_cast<std::uint32_t>(what), std::memory_order_seq_cst) == 0;
}

void end_halt(CoreId core) {
    futex(local_of(core)->attention, FUTEX_WAKE_PRIVATE, INT_MAX);
}

} // namespace mxk::arch
