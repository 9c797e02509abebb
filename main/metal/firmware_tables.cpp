#include "main/metal/firmware_tables.hpp"

#include <string_view>

#include "arch/files.hpp"
#include "base/log.hpp"
#include "kernel/acpi/memory_image.hpp"
#include "kernel/acpi/root_pointer.hpp"

namespace mxk::metal {
namespace {

// Those of a module in place of the machine's.
Result<acpi::Tables> tables_of_image(std::string_view name, Arena& arena) {
    auto const file = MXK_TRY(arch::read_file(name, acpi::max_memory_image_bytes, arena));
    acpi::MemoryImage image = MXK_TRY(acpi::MemoryImage::open(file));
    log::warn("ACPI: the tables of '{}' stand in for this machine's, as acpi-image= says", name);
    return acpi::open_or_warn(image.root_pointer(), image, arena); // refers to the module's bytes, which stay
}

} // namespace

acpi::Tables open_tables(boot::BootInfo const& boot, PhysicalReader& memory, Arena& arena) {
    if (auto const name = boot::option(boot.command_line, "acpi-image"); !name.empty()) {
        auto const tables = tables_of_image(name, arena);
        if (tables) return tables.value();
        log::warn("acpi-image={}: {}; reading this machine's tables", name, tables.error().message());
    }
    constexpr std::size_t max_rsdp_bytes = 36;
    std::span<std::byte const> rsdp = boot.rsdp;
    if (rsdp.empty() && raw(boot.rsdp_address) != 0) {
        rsdp = memory.view(boot.rsdp_address, max_rsdp_bytes);
        if (rsdp.empty()) log::warn("ACPI: PVH's RSDP: nothing can be read at {}", boot.rsdp_address);
    }
    // The last resort is for loaders that say nothing; on UEFI there is nothing to find there.
    if (rsdp.empty()) rsdp = acpi::scan_for_root_pointer(memory, PhysicalAddress{0xe0000}, 0x20000);
    if (rsdp.empty()) {
        log::warn("ACPI: the loader names no RSDP and none was found in memory: going on with one core on one node");
        return {};
    }
    return acpi::open_or_warn(rsdp, memory, arena);
}

} // namespace mxk::metal
