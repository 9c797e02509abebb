#include "arch/core_local.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "arch/attention.hpp"
#include "base/panic.hpp"

namespace mxk::arch {

thread_local constinit CoreLocal* this_core = nullptr;

namespace {

// Written by each core once, before anybody sends it anything. Never freed when the program ends: a wake-up may still
// be under way then.
constinit std::atomic<CoreLocal*>* locals = nullptr;
constinit std::size_t local_count = 0;

// Of a thread that is no core.
struct ThreadSections {
    CoreLocal* home = nullptr;
    std::uint32_t depth = 0;
};
thread_local constinit ThreadSections thread_sections{};

// std::atomic's own wait spins and yields first, which the worker has done already.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

} // namespace

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
    locals[index(id)].store(&local, std::memory_order_release); // pairs with local_of()
}

CoreLocal* local_of(CoreId core) {
    return index(core) < local_count ? locals[index(core)].load(std::memory_order_acquire) : nullptr;
}

void halt_until_attention() {
    std::atomic<std::uint32_t>& word = core_local().attention;
    // The kernel compares once more before it lets the thread sleep, so nothing is missed.
    while (word.load(std::memory_order_acquire) == 0) futex(word, FUTEX_WAIT_PRIVATE, 0);
}

void notify(CoreId core, Attention what) {
    CoreLocal* const local = local_of(core);
    expect(local != nullptr, "a core that is notified is there");
    auto const bit = static_cast<std::uint32_t>(what);
    // release: what the bit announces is visible before it. A word that was not zero has ended the halt already.
    if (local->attention.fetch_or(bit, std::memory_order_release) == 0)
        futex(local->attention, FUTEX_WAKE_PRIVATE, INT_MAX);
}

void live_on(CoreId core) {
    thread_sections.home = local_of(core);
}

// seq_cst: either the core sees the count before it calls itself quiescent (threads_in_sections()), or what was
// unlinked before it was asked to is unlinked for what this section reads.
void enter_section_of_thread() {
    expect(thread_sections.home != nullptr, "a thread with protected sections lives on a core");
    if (thread_sections.depth++ == 0) thread_sections.home->threads_in_sections.fetch_add(1, std::memory_order_seq_cst);
}

// seq_cst, which is a release, too: what the section has read, it has read before the core calls itself quiescent; and
// either the core sees that it has left, or it sees that the core waits for that.
void leave_section_of_thread() {
    if (--thread_sections.depth != 0) return;
    CoreLocal& home = *thread_sections.home;
    if (home.threads_in_sections.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
    if (home.awaits_sections.load(std::memory_order_seq_cst)) wake(home.id);
}

bool threads_in_sections() {
    CoreLocal& core = core_local();
    core.awaits_sections.store(true, std::memory_order_seq_cst);
    bool const some = core.threads_in_sections.load(std::memory_order_seq_cst) != 0;
    if (!some) core.awaits_sections.store(false, std::memory_order_relaxed);
    return some;
}

} // namespace mxk::arch
