// Protected sections (kernel/protected_section.hpp), and when those of a core's threads are over that had begun before
// an epoch did. A core's own task only counts. A thread of the system runs whenever that likes, beside its core: it
// counts in plain stores, without a fence, and who wants to know has the system make all threads execute one
// (membarrier(2), as liburcu does: Desnoyers et al., "User-Level Implementations of Read-Copy Update", 2012). A thread
// that is found in a section is told to say when it leaves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arch/attention.hpp"
#include "arch/core_local.hpp"
#include "base/fence.hpp"
#include "base/panic.hpp"
#include "base/text.hpp"

namespace mxk::arch {

// Of a thread: of one that is a core, which nobody waits for in its sections but itself, or of one that lives on one.
struct SectionReader {
    std::atomic<std::uint32_t> depth{0};
    std::atomic<bool> is_awaited{
        true};                 // also until it is a core, or lives on one: then leave_awaited_section() says so
    bool needs_fences = false; // the system has no membarrier
    std::atomic<std::uint32_t> nest{0}; // arch/nest.hpp
    CoreLocal* home = nullptr;          // that it lives on
    SectionReader* next = nullptr;      // of the same home
    std::string_view name{};            // for display
};
extern thread_local constinit SectionReader section_reader;

// The calling thread is a core.
inline void be_core_reader() {
    section_reader.is_awaited.store(false, std::memory_order_relaxed);
    section_reader.needs_fences = false;
}
// The calling thread, which is no core, lives on this one until it leaves it: that core's epochs wait for its sections.
// `name`, for display, lives as long as it does.
void live_on(CoreId core, std::string_view name);
// Before it ends. How many sections it has left open; they are over now.
std::uint32_t leave_home();

void leave_awaited_section(SectionReader& reader);

// Any core, any thread that lives on one; never block.
[[gnu::always_inline]] inline void enter_section() {
    SectionReader& reader = section_reader;
    // relaxed, and no fence: begin_section_epoch() makes this thread execute one. The compiler keeps the order, too.
    reader.depth.store(reader.depth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (reader.needs_fences) [[unlikely]]
        store_load_fence();
}
[[gnu::always_inline]] inline void leave_section() {
    SectionReader& reader = section_reader;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // release: what the section has read, it has read before the worker that finds it over goes on.
    reader.depth.store(reader.depth.load(std::memory_order_relaxed) - 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (reader.needs_fences) [[unlikely]]
        store_load_fence();
    if (reader.is_awaited.load(std::memory_order_relaxed)) [[unlikely]]
        leave_awaited_section(reader);
}

// The core that the calling thread is, or lives on.
inline CoreId home_core() {
    expect(this_core != nullptr || section_reader.home != nullptr, "the calling thread is a core, or lives on one");
    return this_core != nullptr ? this_core->id : section_reader.home->id;
}

// Whether the caller, a task or a thread, is in one.
inline bool is_in_section() {
    return section_reader.depth.load(std::memory_order_relaxed) != 0;
}

// A number of what runs now, as on metal. Here it is the thread's, since threads of a core run at the same time.
inline std::uintptr_t exclusive_id() {
    return reinterpret_cast<std::uintptr_t>(&section_reader);
}

// As hold_preemption() and release_preemption() (base/preemption.hpp), which do nothing here.
inline void hold_core() {}
inline void release_core() {}

// As on metal, where handlers enter sections; here none does.
inline void begin_quiet_halt() {}
inline bool halts_quietly(CoreId) {
    return true;
}

// How many sections the calling core's task is in.
inline std::uint32_t sections_of_task() {
    return section_reader.depth.load(std::memory_order_relaxed);
}

// Whether the calling core has threads in sections that do not run: here nobody knows, and threads_live_on() says it.
inline bool threads_in_sections() {
    return false;
}
// Whether threads live on a core, which run while it halts. Any core; seq_cst.
bool threads_live_on(CoreId core);
// They do not keep their core from attending.
inline void interrupt_thread(CoreId) {}
inline void notify_at_once(CoreId core, Attention what) {
    notify(core, what);
}

// An epoch begins: the sections that the core's threads are in now are what it waits for. The worker, after the one
// before is over. Some microseconds if threads live on the core.
void begin_section_epoch();
// Whether all of these are over. If not, the last of them to leave wakes the core. The worker.
bool are_sections_over();

// The names of the core's threads that are in sections which its epoch waits for, with commas between. How many there
// are. Any core; blocks for a lock.
std::size_t write_awaited_readers(TextSink& out, CoreId core);

} // namespace mxk::arch
