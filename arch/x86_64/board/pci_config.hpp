// PCI configuration space by the two ports (PCI 3.0 section 3.2.2.3.2): of bus 0 to 255, the first 256 bytes of a
// function. Not while another core does the same.
#pragma once

#include <cstdint>

#include "arch/x86_64/cpu/registers.hpp"

namespace mxk::arch::pci {

struct Function {
    std::uint8_t bus;
    std::uint8_t device;
    std::uint8_t function;
};

// What a function that is not there reads as.
constexpr std::uint32_t nothing = UINT32_MAX;

// The aligned 32 bits around this offset.
inline std::uint32_t read_config(Function where, std::uint8_t offset) {
    constexpr std::uint16_t address_port = 0xcf8;
    constexpr std::uint16_t data_port = 0xcfc;
    constexpr std::uint32_t enable = std::uint32_t{1} << 31;
    out32(address_port, enable | static_cast<std::uint32_t>(where.bus) << 16 |
                            static_cast<std::uint32_t>(where.device) << 11 |
                            static_cast<std::uint32_t>(where.function) << 8 | (offset & 0xfcU));
    return in32(data_port);
}

} // namespace mxk::arch::pci
