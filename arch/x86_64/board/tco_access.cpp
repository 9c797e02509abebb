// TCO of this machine.
#include "arch/x86_64/board/tco.hpp"
#include "arch/x86_64/memory/paging.hpp"

namespace mxk::arch::tco {
namespace {

// Null where no register can be.
std::uint32_t volatile* register_at(std::uint64_t address) {
    return reinterpret_cast<std::uint32_t volatile*>(
        map_device("PCI: LPC bridge, root complex base address", {PhysicalAddress{address}, 4}, 4));
}

constexpr Access this_machine{
    nullptr,
    [](void*, pci::Function where, std::uint8_t offset) { return pci::read_config(where, offset); },
    [](void*, std::uint16_t port) { return in16(port); },
    [](void*, std::uint16_t port, std::uint16_t value) { out16(port, value); },
    [](void*, std::uint64_t address) -> std::uint32_t {
        auto const* const place = register_at(address);
        return place == nullptr ? 0 : *place;
    },
    [](void*, std::uint64_t address, std::uint32_t value) {
        if (auto* const place = register_at(address)) *place = value;
    },
};

} // namespace

End stop_this(std::uint16_t& port) {
    return stop(this_machine, port);
}

} // namespace mxk::arch::tco
