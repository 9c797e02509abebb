#include "main/metal/firmware_tables.hpp"

#include "base/log.hpp"
#include "kernel/acpi/root_pointer.hpp"

namespace mxk::metal {

acpi::Tables open_tables(boot::BootInfo const& boot, PhysicalReader& memory, Arena& arena) {
    constexpr std::size_t max_rsdp_bytes = 36;
    std::span<std::byte const> rsdp = boot.rsdp;
    if (rsdp.empty() && raw(boot.rsdp_address) != 0) rsdp = memory.view(boot.rsdp_address, max_rsdp_bytes);
    // The last resort is for loaders that say nothing; on UEFI there is nothing to find there.
    if (rsdp.empty()) rsdp = acpi::scan_for_root_pointer(memory, PhysicalAddress{0xe0000}, 0x20000);
    if (rsdp.empty()) {
        log::warn("ACPI: the loader names no RSDP and none was found in memory: going on with one core on one node");
        return {};
    }
    auto tables = acpi::Tables::open(rsdp, memory, arena);
    if (tables) return tables.value();
    log::warn("{}: going on with one core on one node", tables.error().message());
    return {};
}

} // namespace mxk::metal
