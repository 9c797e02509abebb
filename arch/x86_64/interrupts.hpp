// Exceptions and interrupts. Handlers that return run on the interrupted code's stack with interrupts off, must not
// touch SSE registers (they stand in arch/x86_64/interrupts/, compiled without), take no lock and call nothing outside
// that folder but inline register access.
#pragma once

#include <cstdint>

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
constexpr unsigned spurious = 255;
} // namespace vector

struct InterruptFrame { // interrupt_entry.asm pushes it
    std::uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    std::uint64_t vector, error_code;
    std::uint64_t rip, cs, rflags, rsp, ss; // pushed by the processor
};

// Empties the UART into the ring of serial_ring.hpp.
void receive_serial();

// A wrong exception: report and end (exceptions.cpp). Never returns.
[[noreturn]] void report_exception(InterruptFrame const& frame);

// Another core panicked, or the machine ends: halt for good.
[[noreturn]] void halt_forever();
extern constinit bool volatile machine_is_ending;

} // namespace mxk::arch
