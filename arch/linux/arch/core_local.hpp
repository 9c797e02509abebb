// What belongs to the calling core, on Linux: a core is a thread. Its attention word (arch/attention.hpp) is what the
// sleeping thread waits on (a futex). Threads of tasks/threads are threads of the system that live on a core: they run
// whenever the system likes, not when the core's thread does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::arch {

struct alignas(cache_line_bytes) CoreLocal {
    void* kernel_core = nullptr;
    std::atomic<std::uint32_t> attention{0};
    CoreId id{};
    std::uint32_t sections = 0; // protected sections that its task is in
    // Of its threads, those that are in one, which they count; and whether the core wants to know when there is none.
    alignas(cache_line_bytes) std::atomic<std::uint32_t> threads_in_sections{0};
    std::atomic<bool> awaits_sections{false};
};

// Null in a thread that is no core. constinit: read without asking whether it is initialised.
extern thread_local constinit CoreLocal* this_core;

inline CoreLocal& core_local() {
    return *this_core;
}
// Whether the caller is a core that runs a task (or its worker), and not a thread.
inline bool runs_task() {
    return this_core != nullptr;
}

// Room for cores 0 to `count` - 1, none of them there yet. Before any of them is adopted, after all before are gone.
void reserve_cores(std::size_t count);
// Makes the calling thread the core `id`, until it adopts another or ends. `local` must outlive that.
void adopt_core(CoreLocal& local, CoreId id);
// What adopt_core() said of a core, or null.
CoreLocal* local_of(CoreId core);
// The calling thread, which is no core, lives on this one: its protected sections count there.
void live_on(CoreId core);

// Of all cores. While none of them runs.
void forget_timers();

// Protected sections: see kernel/protected_section.hpp.
void enter_section_of_thread();
void leave_section_of_thread();

inline void enter_section() {
    if (CoreLocal* const core = this_core; core != nullptr) [[likely]]
        ++core->sections;
    else
        enter_section_of_thread();
}
inline void leave_section() {
    if (CoreLocal* const core = this_core; core != nullptr) [[likely]]
        --core->sections;
    else
        leave_section_of_thread();
}
// Whether the calling core's task is in one.
inline bool task_in_section() {
    return core_local().sections != 0;
}
// Whether a thread of the calling core is in one; if so, the last of them to leave wakes the core.
bool threads_in_sections();

} // namespace mxk::arch
