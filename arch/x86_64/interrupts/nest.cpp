// Compiled without SSE, since handlers leave sections, too: interrupts.hpp.
#include "arch/nest.hpp"

#include <atomic>
#include <utility>

#include "arch/cpu.hpp"
#include "arch/execution.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/start/cores.hpp"
#include "base/fence.hpp"

namespace mxk::arch {
namespace {

// The newest grace period.
constinit std::atomic<std::uint64_t> newest{0};

// Readers that were preempted in a section. All of it behind the lock.
using Readers = LinkedList<Execution, &Execution::nest_links>;
constinit std::atomic<bool> readers_taken{false};
constinit Readers awaited; // by the newest
constinit Readers later;
using LastLeft = void (*)();
constinit LastLeft call_last_left = nullptr;

// With interrupts off.
class ReadersLock {
  public:
    ReadersLock() {
        // acquire: pairs with the release below
        while (readers_taken.exchange(true, std::memory_order_acquire)) pause();
    }
    ~ReadersLock() { readers_taken.store(false, std::memory_order_release); }
    ReadersLock(ReadersLock const&) = delete;
    ReadersLock& operator=(ReadersLock const&) = delete;

  private:
    InterruptsOff off_;
};

void acknowledge(CoreLocal& local, std::uint64_t number) {
    store_load_fence(); // what was read before, was read before the detector sees it
    local.nest_seen.store(number, std::memory_order_release);
}

void take_off(Execution& execution) {
    LastLeft last_left = nullptr;
    {
        ReadersLock const lock;
        (execution.is_awaited_nest ? awaited : later).remove(execution);
        if (execution.is_awaited_nest && awaited.first() == nullptr) last_left = std::exchange(call_last_left, nullptr);
    }
    if (last_left != nullptr) last_left();
}

} // namespace

// A handler between the subtraction and this may have come first.
void leave_listed_nest() {
    InterruptsOff const off;
    CoreLocal& local = core_local();
    if (local.readers.nest != 1) return;
    local.readers.nest = 0;
    take_off(*local.running);
}

void note_nest(Execution& execution) {
    CoreLocal& local = core_local();
    std::uint32_t const nest = execution.readers.nest;
    if (nest >= 2 && nest % 2 == 0) {
        execution.readers.nest |= 1U;
        ReadersLock const lock; // begin() changes the number behind it: a reader is on the list that this one awaits
        bool const has_seen = local.nest_seen.load(std::memory_order_relaxed) == newest.load(std::memory_order_relaxed);
        execution.is_awaited_nest = !has_seen;
        (has_seen ? later : awaited).append(execution);
    }
    std::uint64_t const number = newest.load(std::memory_order_acquire);
    if (local.nest_seen.load(std::memory_order_relaxed) != number && !is_in_nest()) acknowledge(local, number);
}

std::uint32_t forget_nest(Execution& execution) {
    InterruptsOff const off;
    std::uint32_t const nest = std::exchange(execution.readers.nest, 0);
    if (nest % 2 != 0) take_off(execution);
    return nest / 2;
}

// Another core's detector wants to know: what was interrupted is in a section, or not.
void answer_nest_sample() {
    CoreLocal& local = core_local();
    if (!is_in_nest()) acknowledge(local, newest.load(std::memory_order_acquire));
    local.nest_answered.fetch_add(1, std::memory_order_release); // pairs with ask()
}

namespace nests {

void watch() {
    core_local().readers.nest |= nest_is_watched;
}
void ignore() {
    core_local().readers.nest &= ~nest_is_watched;
}

void begin(std::uint64_t number) {
    ReadersLock const lock;
    newest.store(number, std::memory_order_release);
    for (Execution* execution = later.take_all(); execution != nullptr;) {
        Execution& reader = *std::exchange(execution, Readers::next(*execution));
        reader.is_awaited_nest = true;
        awaited.append(reader);
    }
}

bool has_acknowledged(CoreId core) {
    // acquire: pairs with acknowledge()
    return released_cores()[index(core)]->nest_seen.load(std::memory_order_acquire) ==
           newest.load(std::memory_order_relaxed);
}

bool ask(CoreId core) {
    CoreLocal& local = *released_cores()[index(core)];
    // The caller may be taken to no other core, but its own one may be the one that it asks.
    std::uint32_t const wanted = local.nest_asked.fetch_add(1, std::memory_order_relaxed) + 1;
    if (&local == &core_local()) {
        InterruptsOff const off;
        answer_nest_sample();
    } else {
        apic::send(local.apic_id, vector::sample_nest);
    }
    while (static_cast<std::int32_t>(local.nest_answered.load(std::memory_order_acquire) - wanted) < 0) pause();
    return has_acknowledged(core);
}

bool await_readers(void (*last_left)()) {
    ReadersLock const lock;
    if (awaited.first() == nullptr) return false;
    call_last_left = last_left;
    return true;
}

} // namespace nests
} // namespace mxk::arch
