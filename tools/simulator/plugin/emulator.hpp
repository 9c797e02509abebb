// QEMU's own functions that the plugin calls besides the interface for plugins: QEMU exports them, because its modules
// need them, but does not promise to keep them. Tried with QEMU 10.0.
#pragma once

#include <cstddef>
#include <cstdint>

struct CPUState; // a core of QEMU's

extern "C" {

CPUState* qemu_get_cpu(int number);

/// The core that runs on this thread. (What callbacks of blocks are told of it is wrong where one thread runs all
/// cores: QEMU 10.0 takes the number of the core for which a block was translated.)
extern __thread CPUState* current_cpu;

/// The core leaves its loop of blocks before the next one, so that the next core has its turn.
void cpu_exit(CPUState*);
/// Wakes the thread that runs the cores.
void qemu_cpu_kick(CPUState*);
/// Leaves the block that runs. `place`: an address in the block's machine code, of which instruction the core is to go
/// on with. Never returns.
[[noreturn]] void cpu_loop_exit_restore(CPUState*, std::uintptr_t place);

/// Halted, and nothing pending wakes it.
bool cpu_thread_is_idle(CPUState*);
bool all_cpu_threads_idle();
bool cpu_is_stopped(CPUState*);

/// The big lock: a caller has it who touches devices or timers.
void bql_lock_impl(char const* file, int line);
void bql_unlock();

/// Before a thread that QEMU did not make touches memory or devices.
void rcu_register_thread();

constexpr int virtual_clock_type = 1;                           // QEMU_CLOCK_VIRTUAL
constexpr int all_timers = -1;                                  // QEMU_TIMER_ATTR_ALL
std::int64_t qemu_clock_deadline_ns_all(int clock, int timers); // ns from now, or -1
std::int64_t qemu_clock_advance_virtual_time(std::int64_t to);  // runs what timers are due until then
bool qemu_clock_run_timers(int clock);                          // those that are due

void* object_class_by_name(char const* name);
void tcg_handle_interrupt(CPUState*, int reasons);

void cpu_physical_memory_rw(std::uint64_t address, void* buffer, std::uint64_t length, bool is_write);

} // extern "C"

namespace mxk::simulator {

/// Of QEMU's reasons to interrupt a core: it is reset, to wait for its start. That is no reason to run.
constexpr int core_reset_reason = 0x400;

/// Holds the big lock.
class BigLock {
  public:
    BigLock() { bql_lock_impl(__FILE__, __LINE__); }
    ~BigLock() { bql_unlock(); }
    BigLock(BigLock const&) = delete;
    BigLock& operator=(BigLock const&) = delete;
};

/// QEMU's mark on a core that it is stopped, by which its round robin passes a core over at no cost. Where it lies is
/// read from the code of cpu_is_stopped(); if that is not understood, nothing is marked, and each core that is not to
/// run costs a look.
class StopMark {
  public:
    StopMark();
    void set(CPUState* core, bool stopped) const;

  private:
    std::ptrdiff_t offset_ = 0; // 0: not known
};

} // namespace mxk::simulator
