// What belongs to the calling core, on Linux: a core is a thread. See arch/x86_64/arch/core_local.hpp for the meaning;
// the attention word is what a sleeping thread waits on (a futex).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::arch {

enum class Attention : std::uint32_t { Wake = 1 << 0, Timer = 1 << 1, Input = 1 << 2, Deferred = 1 << 3 };
inline constexpr Cycles never{UINT64_MAX};

struct alignas(cache_line_bytes) CoreLocal {
    void* kernel_core = nullptr;
    std::atomic<std::uint32_t> attention{0};
    CoreId id{};
};

// Null in a thread that is no core. constinit: read without asking whether it is initialised.
extern thread_local constinit CoreLocal* this_core;

inline CoreLocal& core_local() {
    return *this_core;
}

// Room for cores 0 to `count` - 1, none of them there yet. Before any of them is adopted, after all before are gone.
void reserve_cores(std::size_t count);
// Makes the calling thread the core `id`, until it adopts another or ends. `local` must outlive that.
void adopt_core(CoreLocal& local, CoreId id);
// What adopt_core() said of a core, or null.
CoreLocal* local_of(CoreId core);

inline bool needs_attention() {
    return core_local().attention.load(std::memory_order_relaxed) != 0;
}
inline std::uint32_t take_attention() {
    return core_local().attention.exchange(0, std::memory_order_acquire);
}

void halt_until_attention();
void wake(CoreId core);
// Sets a bit of a core's attention word and ends its halt. Any thread, core or not.
void attract(CoreLocal& core, Attention what);

// Accurate to some tens of microseconds: a thread that waits for the clock sets the bit.
void arm_timer(Cycles when);
// Of all cores. While none of them runs.
void forget_timers();

} // namespace mxk::arch
