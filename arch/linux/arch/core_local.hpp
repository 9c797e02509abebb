// What belongs to the calling core, on Linux: a core is a thread. See arch/x86_64/arch/core_local.hpp for the meaning;
// the attention word is what a sleeping thread waits on (a futex, by std::atomic).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::arch {

enum class Attention : std::uint32_t { Wake = 1 << 0, Timer = 1 << 1, Input = 1 << 2 };

struct alignas(cache_line_bytes) CoreLocal {
    void* kernel_core = nullptr;
    std::atomic<std::uint32_t> attention{0};
    CoreId id{};
};

// The calling thread's; it must have adopted one.
CoreLocal& core_local();

// Makes the calling thread the core `id`, until it adopts another or ends. `local` must outlive that.
void adopt_core(CoreLocal& local, CoreId id);

inline bool needs_attention() {
    return core_local().attention.load(std::memory_order_relaxed) != 0;
}
inline std::uint32_t take_attention() {
    return core_local().attention.exchange(0, std::memory_order_acquire);
}

void halt_until_attention();
void wake(CoreId core);

} // namespace mxk::arch
