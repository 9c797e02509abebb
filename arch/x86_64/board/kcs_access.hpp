// The registers of this machine's management controller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/x86_64/board/kcs.hpp"

namespace mxk::arch::kcs {

struct Place {
    std::uint16_t port = 0;         // of the data register, unless they are in memory
    std::byte* registers = nullptr; // mapped (map_device()); null: at ports
    std::uint8_t spacing = 1;       // bytes from one register to the next
};

// `place` must outlive what is returned. After the clocks' start.
Access access_to(Place const& place);

} // namespace mxk::arch::kcs
