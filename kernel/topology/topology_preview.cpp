#include "kernel/topology/topology_preview.hpp"

#include "base/format.hpp"
#include "kernel/acpi/madt.hpp"
#include "kernel/acpi/memory_image.hpp"
#include "kernel/acpi/warning_sink.hpp"

namespace mxk::topology {

namespace {

Result<Preview> preview_of(acpi::Tables const& tables, acpi::WarningList const& warnings, Arena& arena) {
    // discover() will read the MADT again, and speak of it.
    auto const listed = MXK_TRY(acpi::processors(tables.with_warnings(acpi::no_warnings()), arena));
    ApicId const boot_core = listed.enabled.empty() ? ApicId{0} : listed.enabled.front().apic_id;

    Preview result;
    result.topology = MXK_TRY(discover(&tables, boot_core, {}, arena));
    result.warnings = MXK_TRY(warnings.lines());
    return result;
}

} // namespace

Result<Preview> preview(std::span<acpi::TableImage const> images, Arena& arena) {
    acpi::WarningList warnings(arena);
    return preview_of(MXK_TRY(acpi::Tables::of_images(images, warnings, arena)), warnings, arena);
}

Result<Preview> preview(std::span<std::byte const> memory_image, Arena& arena) {
    acpi::WarningList warnings(arena);
    acpi::MemoryImage memory = MXK_TRY(acpi::MemoryImage::open(memory_image));
    return preview_of(acpi::open_or_warn(memory.root_pointer(), memory, arena, warnings), warnings, arena);
}

void print(TextSink& sink, Preview const& preview) {
    Topology const& topology = preview.topology;
    bool const is_listed = topology.cores[0].acpi_uid != unknown_acpi_uid;
    format(sink, "assumed: the boot core is {}, APIC id {}\n",
           is_listed ? "the first that the MADT enables" : "the only one", topology.cores[0].apic_id);
    if (topology.memory_is_known) {
        sink.write("assumed: memory fills the SRAT's ranges, hot-pluggable ones too; the loader's map would tell\n");
    } else {
        sink.write("memory: not known from these tables, since no SRAT names any; the loader's map would tell\n");
    }
    print(sink, topology);
    for (log::Line const& line : preview.warnings) format(sink, "WARN {}\n", line.view());
}

} // namespace mxk::topology
