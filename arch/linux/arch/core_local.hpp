// What belongs to the calling core, on Linux: a core is a thread. Its attention word (arch/attention.hpp) is what the
// sleeping thread waits on (a futex). Threads of tasks/threads are threads of the system that live on a core: they run
// whenever the system likes, not when the core's thread does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/units.hpp"

namespace mxk::arch {

struct SectionReader; // arch/sections.hpp

struct alignas(cache_line_bytes) CoreLocal {
    void* kernel_core = nullptr;
    std::atomic<std::uint32_t> attention{0};
    CoreId id{};
    void* heap = nullptr; // the kernel's: what the core allocates from
    // The threads that live on it, and how many of them are in a section that its epoch waits for.
    alignas(cache_line_bytes) std::mutex readers_mutex;
    SectionReader* first_reader = nullptr;
    std::atomic<std::uint32_t> reader_count{0};
    std::atomic<std::uint32_t> awaited_sections{0};
    // A-RCU (arch/nest.hpp): the core's own sections, while they count; the newest grace period that it was found
    // quiescent for.
    SectionReader* core_reader = nullptr;
    std::atomic<std::uint64_t> nest_seen{0};
};

// Null in a thread that is no core. constinit: read without asking whether it is initialised.
extern thread_local constinit CoreLocal* this_core;

// Panics, and says why.
[[noreturn, gnu::cold]] void no_core();

inline CoreLocal& core_local() {
    if (this_core == nullptr) [[unlikely]]
        no_core();
    return *this_core;
}
// Whether the caller is a core that runs a task (or its worker), and not a thread.
inline bool runs_task() {
    return this_core != nullptr;
}

// CoreLocal::heap, for a task; null for a thread, and for one that lives on a core, since both may run at once.
inline void* heap_of_task() {
    return this_core != nullptr ? this_core->heap : nullptr;
}
inline void* heap_of_core() {
    return heap_of_task();
}

// Room for cores 0 to `count` - 1, none of them there yet. Before any of them is adopted, after all before are gone.
void reserve_cores(std::size_t count);
// Makes the calling thread the core `id`, until it adopts another or ends. `local` must outlive that.
void adopt_core(CoreLocal& local, CoreId id);
// What adopt_core() said of a core, or null.
CoreLocal* local_of(CoreId core);

// Of all cores. While none of them runs.
void forget_timers();

} // namespace mxk::arch
