// Exceptions and interrupts. Handlers that return run on the interrupted code's stack with interrupts off, must not
// touch SSE registers (they stand in arch/x86_64/interrupts/, compiled without), take no lock and call nothing outside
// that folder but inline register access. A thread is preempted in the timer's handler, which returns when the thread
// has the core again (arch/execution.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "arch/attention.hpp"

namespace mxk::arch {

namespace exception {
constexpr unsigned non_maskable = 2;
constexpr unsigned breakpoint = 3;
constexpr unsigned double_fault = 8;
constexpr unsigned general_protection = 13;
constexpr unsigned page_fault = 14;
constexpr unsigned machine_check = 18;
constexpr unsigned count = 32;
} // namespace exception

// Above the exceptions and the legacy controllers' range.
namespace vector {
constexpr unsigned legacy_first = 32; // spurious interrupts of the masked 8259s
constexpr unsigned serial = 48;
constexpr unsigned timer = 49;
constexpr unsigned wake = 50;
constexpr unsigned keyboard = 51;
constexpr unsigned forget_translations = 52;
constexpr unsigned sample_nest = 53;
constexpr unsigned forget_pages = 54;
constexpr unsigned first_free = 64; // for set_interrupt_handler()
constexpr unsigned spurious = 255;
} // namespace vector

struct InterruptFrame { // interrupt_entry.asm pushes it
    std::uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    std::uint64_t vector, error_code;
    std::uint64_t rip, cs, rflags, rsp, ss; // pushed by the processor
};

// For a vector from first_free up to 254: a function without SSE ([[gnu::target("general-regs-only")]]) that is called
// on whichever core is interrupted; null: none. Any core.
using InterruptHandler = void (*)();
void set_interrupt_handler(unsigned vector, InterruptHandler handler);

// Tells the core that handlers have something for it. In a handler, or with interrupts off.
inline void announce(CoreLocal& local, Attention what) {
    // release: pairs with take_attention().
    local.attention.fetch_or(static_cast<std::uint32_t>(what), std::memory_order_release);
}

// interrupts/timer.cpp. Sets the local timer to whatever comes first; interrupts off.
void set_timer(CoreLocal& local);
void timer_interrupt();
// What runs is preempted at once, or when it holds preemption no longer. Interrupts off.
void end_slice(CoreLocal& local);
// The same, if a thread runs and the attention word has Hurry.
void interrupt_thread_if_told();
// From what runs to the core's own stack; returns when it is run again. Interrupts off, before and after.
void leave_execution(CoreLocal& local);
// What XSAVE is to save, on every core: XCR0's bits; 0: there is only FXSAVE. detect_features() finds out.
extern constinit std::uint64_t vector_states;
// switch_stack.asm
extern "C" void switch_stack(std::uint64_t* from, std::uint64_t to);

// interrupts/tlb.cpp: another core has asked for it (tlb.hpp).
void forget_translations_as_asked();

// interrupts/translations.cpp: another core has changed page tables of another address space than the kernel's.
void run_translations_handler();

// interrupts/nest.cpp: another core asks whether what runs here is in a section of A-RCU.
void answer_nest_sample();

// Empties the UART into the ring of serial_ring.hpp.
void receive_serial();

// A wrong exception: report and end (exceptions.cpp). Never returns.
[[noreturn]] void report_exception(InterruptFrame const& frame);

[[noreturn]] void halt_forever();
// The same, since another core ends the machine, which waits for this one.
[[noreturn]] void stop_for_the_end();

// The core that ends the machine, and says why: an NMI stops every other one, and not this. Null: none does.
extern constinit std::atomic<CoreLocal const*> ending_core;
// The calling core is that one, with interrupts off, and the others have stopped, but for those that do not answer in
// 0.1 s; if another one is, this one halts for good.
void begin_end();

} // namespace mxk::arch
