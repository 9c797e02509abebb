// How a broken invariant or an unexpected exception ends the kernel: the other cores stop, then registers and a
// symbolised backtrace go straight to the serial line (no lock, no allocation), then the machine ends with the panic
// status. A panic inside a panic says only that.
#include <array>
#include <atomic>

#include "arch/core_local.hpp"
#include "arch/machine.hpp"
#include "arch/stacks.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/board/screen.hpp"
#include "arch/x86_64/cpu/machine_check.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/exceptions/symbol_table.hpp"
#include "arch/x86_64/start/cores.hpp"
#include "base/panic.hpp"

namespace mxk::arch {

constinit std::atomic<CoreLocal const*> ending_core{nullptr};

void halt_forever() {
    disable_interrupts();
    for (;;) asm volatile("hlt");
}

void stop_for_the_end() {
    core_local().has_stopped.store(true, std::memory_order_release); // pairs with wait_for_other_cores()
    halt_forever();
}

namespace {

// What one of them still writes would be lost between what the UART takes of the report, and with it parts of that.
void wait_for_other_cores() {
    std::uint64_t const start = raw(timestamp());
    std::uint64_t const patience = timestamp_frequency() / 10;
    for (CoreLocal const* const core : released_cores()) {
        if (core == nullptr || core == &core_local()) continue;
        while (!core->has_stopped.load(std::memory_order_acquire) && raw(timestamp()) - start < patience) pause();
    }
}

} // namespace

void begin_end() {
    disable_interrupts();
    CoreLocal const* first = nullptr;
    // release: pairs with dispatch_interrupt().
    if (ending_core.compare_exchange_strong(first, &core_local(), std::memory_order_release,
                                            std::memory_order_relaxed)) {
        apic::stop_other_cores();
        return wait_for_other_cores();
    }
    if (first != &core_local()) stop_for_the_end();
}

namespace {

constexpr std::array<std::string_view, exception::count> exception_names = {"divide error",
                                                                            "debug",
                                                                            "non-maskable interrupt",
                                                                            "breakpoint",
                                                                            "overflow",
                                                                            "bound range",
                                                                            "invalid opcode",
                                                                            "no coprocessor",
                                                                            "double fault",
                                                                            "coprocessor segment overrun",
                                                                            "invalid TSS",
                                                                            "segment not present",
                                                                            "stack segment fault",
                                                                            "general protection",
                                                                            "page fault",
                                                                            "reserved",
                                                                            "x87 error",
                                                                            "alignment check",
                                                                            "machine check",
                                                                            "SIMD error",
                                                                            "virtualization",
                                                                            "control protection",
                                                                            "reserved",
                                                                            "reserved",
                                                                            "reserved",
                                                                            "reserved",
                                                                            "reserved",
                                                                            "reserved",
                                                                            "hypervisor injection",
                                                                            "VMM communication",
                                                                            "security",
                                                                            "reserved"};

class RawConsole final : public TextSink {
  public:
    void write(std::string_view text) override { write_everywhere(text); }
};

// The first core to get here goes on; a second one halts; the same core again can only say so and end.
void enter_panic(RawConsole& out) {
    static constinit bool is_reporting = false; // the ending core's
    begin_end();
    if (is_reporting) {
        out.write("\nPANIC inside a panic\n");
        exit_machine(ExitStatus::Panic);
    }
    is_reporting = true;
    constexpr std::size_t report_lines =
        36; // with a backtrace of some fifteen functions, a few of which take two lines
    screen::make_room(report_lines);
}

void print_return_address(RawConsole& out, std::uint64_t address) {
    Symbol const symbol = find_symbol(address);
    if (symbol.name.empty())
        format(out, "    0x{:016x}\n", address);
    else
        format(out, "    0x{:016x} {}+0x{:x}\n", address, symbol.name, symbol.offset);
}

// By frame pointers (-fno-omit-frame-pointer); stops at the first frame that is not on a stack of ours. A function that
// called itself is shown once.
void print_backtrace(RawConsole& out, std::uint64_t rip, std::uint64_t rbp) {
    constexpr int max_lines = 32;
    out.write("  backtrace:\n");
    print_return_address(out, rip);
    std::uint64_t last = rip;
    std::uint64_t repeated = 0;
    for (int lines = 1; lines < max_lines && stacks::containing(rbp, 16);) {
        auto const* const frame = reinterpret_cast<std::uint64_t const*>(rbp); // NOLINT(performance-no-int-to-ptr)
        std::uint64_t const address = frame[1];
        if (!is_code(address)) break;
        if (address == last) {
            ++repeated;
        } else {
            if (repeated > 0) format(out, "    ... {} times more\n", repeated);
            repeated = 0;
            last = address;
            print_return_address(out, address);
            ++lines;
        }
        if (frame[0] <= rbp) break;
        rbp = frame[0];
    }
}

void print_registers(RawConsole& out, InterruptFrame const& f) {
    format(out, "  rip {:016x}  rsp {:016x}  rflags {:08x}  cs {:x}  error {:x}\n", f.rip, f.rsp, f.rflags, f.cs,
           f.error_code);
    format(out, "  rax {:016x}  rbx {:016x}  rcx {:016x}  rdx {:016x}\n", f.rax, f.rbx, f.rcx, f.rdx);
    format(out, "  rsi {:016x}  rdi {:016x}  rbp {:016x}  cr2 {:016x}\n", f.rsi, f.rdi, f.rbp, read_cr2());
    format(out, "  r8  {:016x}  r9  {:016x}  r10 {:016x}  r11 {:016x}\n", f.r8, f.r9, f.r10, f.r11);
    format(out, "  r12 {:016x}  r13 {:016x}  r14 {:016x}  r15 {:016x}\n", f.r12, f.r13, f.r14, f.r15);
    format(out, "  cr3 {:016x}  cr4 {:016x}\n", read_cr3(), read_cr4());
}

void print_page_fault(RawConsole& out, std::uint64_t error_code) {
    std::uint64_t const address = read_cr2();
    char const* const what = (error_code & 16) != 0 ? "executing" : (error_code & 2) != 0 ? "writing" : "reading";
    char const* const why = (error_code & 1) != 0 ? "not allowed there" : "nothing is mapped there";
    format(out, "  {} 0x{:x}: {}\n", what, address, why);
    if (auto const stack = stacks::overflowed(address))
        format(out, "  stack overflow: the {} bytes of the {} stack are used up\n", stack->bytes, stack->purpose);
}

// Port 61h, "NMI status and control" (Intel ICH data sheets; PC/AT): which of the machine's two errors it was, if any.
void print_nmi_source(TextSink& out) {
    constexpr std::uint16_t port = 0x61;
    constexpr std::uint8_t system_error = 1 << 7;
    constexpr std::uint8_t channel_check = 1 << 6;
    std::uint8_t const status = in8(port);
    bool const is_there = status != 0xff;
    if (is_there && (status & system_error) != 0) out.write("  its source: a system error (PCI SERR#, memory)\n");
    if (is_there && (status & channel_check) != 0) out.write("  its source: an I/O channel check (IOCHK#)\n");
    if (!is_there || (status & (system_error | channel_check)) == 0)
        out.write("  its source is not told: the NMI button, a management controller, a watchdog\n");
}

// Where one core found an error, all get the exception: the one with an error in its banks reports, if there is one.
void let_the_finder_report() {
    if (has_machine_check()) return;
    constexpr std::uint64_t patience = 1'000'000'000; // ns
    std::uint64_t const cycles = patience / 1000 * (timestamp_frequency() / 1000) / 1000;
    std::uint64_t const start = raw(timestamp());
    // relaxed: only waits
    while (ending_core.load(std::memory_order_relaxed) == nullptr && raw(timestamp()) - start < cycles) pause();
}

// What die() hands to the breakpoint handler, in rdi.
struct PanicMessage {
    static constexpr std::uint64_t magic_value = 0x4d58'4b50'414e'4943;
    std::uint64_t magic;
    std::string_view text;
    std::source_location where;
};

PanicMessage const* panic_message(InterruptFrame const& frame) {
    if (frame.vector != exception::breakpoint || !stacks::containing(frame.rdi, sizeof(PanicMessage))) return nullptr;
    auto const* const message = reinterpret_cast<PanicMessage const*>(frame.rdi); // NOLINT(performance-no-int-to-ptr)
    return message->magic == PanicMessage::magic_value ? message : nullptr;
}

} // namespace

void report_exception(InterruptFrame const& frame) {
    RawConsole out;
    if (frame.vector == exception::machine_check) let_the_finder_report();
    enter_panic(out);
    format(out, "\n\nPANIC on core {}: ", core_local().id);
    if (auto const* const message = panic_message(frame))
        format(out, "{}\n  at {}:{}\n", message->text, message->where.file_name(), message->where.line());
    else
        format(out, "{} (exception {})\n", exception_names[frame.vector % exception::count], frame.vector);
    if (frame.vector == exception::non_maskable) print_nmi_source(out);
    if (frame.vector == exception::machine_check) print_machine_checks(out);
    if (frame.vector == exception::page_fault || frame.vector == exception::double_fault)
        print_page_fault(out, frame.error_code);
    if (auto const stack = stacks::containing(frame.rsp, 0); stack && stack->purpose != "task")
        format(out, "  on the {} stack\n", stack->purpose);
    print_registers(out, frame);
    print_backtrace(out, frame.rip, frame.rbp);
    exit_machine(ExitStatus::Panic);
}

} // namespace mxk::arch

namespace mxk {

// A breakpoint, so that the registers printed are those of this very place.
void die(std::string_view message, std::source_location where) {
    arch::PanicMessage const note{arch::PanicMessage::magic_value, message, where};
    asm volatile("int3" ::"D"(&note) : "memory");
    arch::halt_forever();
}

} // namespace mxk
