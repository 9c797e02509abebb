#include "tests/fuzz/targets/acpi_preview.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/acpi/dump_files.hpp"
#include "kernel/acpi/dump_text.hpp"
#include "kernel/topology/topology_preview.hpp"
#include "tests/fuzz/targets/text.hpp"
#include "tests/unit/topology_image.hpp"

namespace mxk::fuzz {
namespace {

using acpi_test::Bytes;

std::string_view signature_of(Bytes const& table) {
    return {reinterpret_cast<char const*>(table.data()), 4};
}

bool is_read(Bytes const& table) {
    return std::ranges::find(acpi::topology_tables, signature_of(table)) != acpi::topology_tables.end();
}

// As acpidump writes it.
std::string dump_of(std::vector<Bytes> const& tables) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (Bytes const& table : tables) {
        if (!is_read(table)) continue;
        text.append(signature_of(table)).append(" @ 0x00000000BFFE0390\n");
        for (std::size_t i = 0; i < table.size(); ++i) {
            auto const byte = std::to_integer<std::size_t>(table[i]);
            if (i % 16 == 0) {
                FixedText<16> offset;
                format(offset, "    {:04x}:", i);
                text += offset.view();
            }
            text += {' ', digits[byte / 16], digits[byte % 16]};
            if (i % 16 == 15 || i + 1 == table.size()) text += "  ................\n";
        }
        text += "\n";
    }
    return text;
}

topology::Preview expect_sound_preview(std::span<acpi::TableImage const> images, Arena& arena) {
    topology::Preview const preview = topology::preview(images, arena).value();
    topology::expect_sound(preview.topology);
    for (log::Line const& warning : preview.warnings) expect_text(warning.view());
    return preview;
}

// Text of the tables means the same as the tables.
void expect_read_back(std::vector<Bytes> const& tables, Arena& arena) {
    std::string const text = dump_of(tables);
    if (text.empty()) return;
    auto const images = acpi::parse_dump_text(text, acpi::topology_tables, arena);
    ASSERT_TRUE(images.ok()) << images.error().message() << "\n" << text;
    std::vector<Bytes> wanted;
    std::ranges::copy_if(tables, std::back_inserter(wanted), is_read);
    ASSERT_EQ(images.value().size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_TRUE(std::ranges::equal(images.value()[i].bytes, wanted[i])) << text;
    }
}

// The same machine, whether it runs or is looked at.
void expect_same_as_brought_up(AcpiMachine& machine, Arena& arena) {
    auto const tables = acpi::Tables::open(machine.root_pointer, machine.memory, arena);
    if (!tables) return;
    std::vector<acpi::TableImage> images;
    for (Bytes const& table : machine.tables) images.push_back({"in file X", table});
    topology::Preview const preview = expect_sound_preview(images, arena);
    ApicId const boot_core = preview.topology.cores[0].apic_id;
    auto const brought_up = topology::discover(&tables.value(), boot_core, {}, arena);
    ASSERT_TRUE(brought_up.ok());
    EXPECT_TRUE(std::ranges::equal(preview.topology.distances, brought_up.value().distances));
    EXPECT_TRUE(std::ranges::equal(preview.topology.performance, brought_up.value().performance));
    if (preview.topology.nodes.size() <= 8) {
        EXPECT_EQ(topology::printed(preview.topology), topology::printed(brought_up.value()));
    }
}

} // namespace

void expect_preview(AcpiMachine& machine, Arena& arena) {
    if (machine.dump.empty()) {
        if (machine.tables.empty()) return;
        expect_same_as_brought_up(machine, arena);
        expect_read_back(machine.tables, arena);
        return;
    }
    auto const images = acpi::parse_dump_text(machine.dump, acpi::topology_tables, arena);
    if (images) {
        expect_sound_preview(images.value(), arena);
    } else {
        expect_text(images.error().message());
    }
}

} // namespace mxk::fuzz
