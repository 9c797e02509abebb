#include "arch/linux/pinning.hpp"

#include <sched.h>

#include <atomic>
#include <vector>

#include "arch/core_local.hpp"
#include "arch/nearest_core.hpp"

namespace mxk::arch {
namespace {

// Each written by its core at start, read by any thread.
std::vector<std::atomic<int>>& cpus() {
    static auto& all = *new std::vector<std::atomic<int>>; // for threads that outlive main()
    return all;
}

} // namespace

bool pin_to(int cpu) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(cpu) + 1);
    if (set == nullptr) return false;
    std::size_t const bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpu) + 1);
    CPU_ZERO_S(bytes, set);
    CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
    bool const pinned = sched_setaffinity(0, bytes, set) == 0;
    CPU_FREE(set);
    return pinned;
}

void note_cpus(std::size_t cores) {
    std::vector<std::atomic<int>> fresh(cores);
    for (std::atomic<int>& cpu : fresh) cpu.store(-1, std::memory_order_relaxed);
    cpus().swap(fresh);
}

void note_cpu(CoreId core, int cpu) {
    cpus()[index(core)].store(cpu, std::memory_order_relaxed);
}

int cpu_of(CoreId core) {
    return index(core) < cpus().size() ? cpus()[index(core)].load(std::memory_order_relaxed) : -1;
}

CoreId nearest_core() {
    if (this_core != nullptr) return this_core->id;
    int const cpu = sched_getcpu();
    std::size_t core = 0;
    while (core < cpus().size() && (cpu < 0 || cpu_of(core_id(core)) != cpu)) ++core;
    return core_id(core);
}

} // namespace mxk::arch
