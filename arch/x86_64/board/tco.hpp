// The watchdog of Intel's chip sets, TCO: it counts from reset on until something halts it, and resets the machine when
// it has come to its end twice. Found in the LPC bridge's ACPI registers (ICH6 to 9 series; ICH9 data sheet sections
// 13.1.13 and 13.9), later in the SMBus controller (100 series data sheet, volume 2, section 6.1, TCOBASE).
#pragma once

#include <cstdint>
#include <optional>

#include "arch/x86_64/board/pci_config.hpp"

namespace mxk::arch::tco {

// How the machine is reached: the machine itself, or a test.
struct Access {
    void* context;
    std::uint32_t (*config)(void* context, pci::Function where, std::uint8_t offset);
    std::uint16_t (*read16)(void* context, std::uint16_t port);
    void (*write16)(void* context, std::uint16_t port, std::uint16_t value);
    std::uint32_t (*read_memory)(void* context, std::uint64_t address);
    void (*write_memory)(void* context, std::uint64_t address, std::uint32_t value);
};

enum class End : std::uint8_t {
    None,     // there is none, it is halted, or it cannot reset the machine
    Halted,   // it ran
    NoReboot, // it runs on, but cannot reset the machine any more
    Runs,     // firmware has locked it
};

// `port`: out, of its first register.
End stop(Access const& access, std::uint16_t& port);
// The machine's own. The boot core; does not block.
End stop_this(std::uint16_t& port);

} // namespace mxk::arch::tco
