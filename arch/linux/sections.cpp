#include "arch/sections.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>

#include "arch/attention.hpp"
#include "arch/nest.hpp"
#include "base/format.hpp"
#include "base/panic.hpp"

namespace mxk::arch {

thread_local constinit SectionReader section_reader{};

namespace {

long membarrier(int command) {
    return syscall(SYS_membarrier, command, 0, 0);
}

// Once for the program, which must say that it wants to (membarrier(2)).
bool has_membarrier() {
    static bool const is_there = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
    return is_there;
}

// Every thread of the program that runs executes a fence before it returns.
void fence_in_all_threads() {
    if (has_membarrier()) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    store_load_fence(); // without membarrier the readers have theirs
}

// acq_rel: what the section has read, it has read before the core goes on that has waited for it.
void count_off(CoreLocal& home) {
    if (home.awaited_sections.fetch_sub(1, std::memory_order_acq_rel) == 1) wake(home.id);
}

} // namespace

void live_on(CoreId core, std::string_view name) {
    CoreLocal* const home = local_of(core);
    expect(home != nullptr, "a thread lives on a core that is there");
    section_reader.home = home;
    section_reader.name = name;
    section_reader.needs_fences = !has_membarrier();
    section_reader.is_awaited.store(false, std::memory_order_relaxed);
    // Who does not see it, has unlinked before what this thread reads: pairs with begin() of kernel/sync/rcu.
    home->reader_count.fetch_add(1, std::memory_order_seq_cst);
    store_load_fence_was_there();
    std::scoped_lock const lock(home->readers_mutex);
    section_reader.next = home->first_reader;
    home->first_reader = &section_reader;
}

std::uint32_t leave_home() {
    SectionReader& reader = section_reader;
    std::uint32_t const left_open =
        reader.depth.exchange(0, std::memory_order_release) + reader.nest.exchange(0, std::memory_order_release) / 2;
    CoreLocal& home = *reader.home;
    std::scoped_lock const lock(home.readers_mutex);
    if (reader.is_awaited.exchange(true, std::memory_order_acq_rel)) count_off(home);
    for (auto* link = &home.first_reader; *link != nullptr; link = &(*link)->next) {
        if (*link != &reader) continue;
        *link = reader.next;
        break;
    }
    reader.home = nullptr;
    home.reader_count.fetch_sub(1, std::memory_order_release);
    return left_open;
}

bool threads_live_on(CoreId core) {
    return local_of(core)->reader_count.load(std::memory_order_seq_cst) != 0;
}

// is_awaited is taken back once, by this thread or by begin_section_epoch(), and who does it counts the section off.
void leave_awaited_section(SectionReader& reader) {
    expect(reader.home != nullptr, "a thread with protected sections lives on a core");
    if (reader.depth.load(std::memory_order_relaxed) != 0) return;
    if (reader.is_awaited.exchange(false, std::memory_order_acq_rel)) count_off(*reader.home);
}

void begin_section_epoch() {
    CoreLocal& core = core_local();
    std::scoped_lock const lock(core.readers_mutex);
    if (core.first_reader == nullptr) return;
    expect(core.awaited_sections.load(std::memory_order_relaxed) == 0, "an epoch is over when the next one begins");
    // A section that is not seen after it, finds unlinked what was unlinked before.
    fence_in_all_threads();
    for (SectionReader* reader = core.first_reader; reader != nullptr; reader = reader->next) {
        if (reader->depth.load(std::memory_order_acquire) == 0) continue;
        core.awaited_sections.fetch_add(1, std::memory_order_relaxed);
        reader->is_awaited.store(true, std::memory_order_release);
    }
    if (core.awaited_sections.load(std::memory_order_relaxed) == 0) return;
    // Either it sees, when it leaves, that it is awaited, or it is seen to have left.
    fence_in_all_threads();
    for (SectionReader* reader = core.first_reader; reader != nullptr; reader = reader->next)
        if (reader->depth.load(std::memory_order_acquire) == 0 &&
            reader->is_awaited.exchange(false, std::memory_order_acq_rel))
            core.awaited_sections.fetch_sub(1, std::memory_order_acq_rel);
}

std::size_t write_awaited_readers(TextSink& out, CoreId core) {
    CoreLocal& local = *local_of(core);
    std::scoped_lock const lock(local.readers_mutex);
    std::size_t count = 0;
    for (SectionReader const* reader = local.first_reader; reader != nullptr; reader = reader->next)
        if (reader->is_awaited.load(std::memory_order_relaxed))
            format(out, "{}'{}'", count++ == 0 ? "" : ", ", reader->name);
    return count;
}

// acquire: pairs with count_off().
bool are_sections_over() {
    return core_local().awaited_sections.load(std::memory_order_acquire) == 0;
}

namespace nests {
namespace {

constinit std::atomic<std::uint64_t> newest{0};

bool is_in_nest(SectionReader const& reader) {
    return reader.nest.load(std::memory_order_acquire) >= 2; // acquire: pairs with leave_nest()
}

} // namespace

void watch() {
    core_local().core_reader = &section_reader;
    section_reader.needs_fences = !has_membarrier();
}
void ignore() {
    core_local().core_reader = nullptr;
    section_reader.needs_fences = false;
}

void begin(std::uint64_t number) {
    newest.store(number, std::memory_order_release);
}

bool has_acknowledged(CoreId core) {
    return local_of(core)->nest_seen.load(std::memory_order_acquire) == newest.load(std::memory_order_relaxed);
}

bool ask(CoreId core) {
    CoreLocal& local = *local_of(core);
    std::scoped_lock const lock(local.readers_mutex);
    fence_in_all_threads();
    if (local.core_reader != nullptr && is_in_nest(*local.core_reader)) return false;
    for (SectionReader const* reader = local.first_reader; reader != nullptr; reader = reader->next)
        if (is_in_nest(*reader)) return false;
    local.nest_seen.store(newest.load(std::memory_order_relaxed), std::memory_order_release);
    return true;
}

bool await_readers(void (* /*last_left*/)()) {
    return false;
}

} // namespace nests

} // namespace mxk::arch
