// `memory`: use per node, the allocators' zones, the firmware's map.
#include "arch/boot_report.hpp"
#include "kernel/console/command.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/zones.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

constexpr double memory_mib(std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(MiB);
}

struct MemoryOptions {
    bool zones = false;
    bool physical = false;
};
constexpr auto memory_schema = console::schema<MemoryOptions>(
    console::flag<&MemoryOptions::zones>("zones", "per node: what its allocator has, and the largest free block"),
    console::flag<&MemoryOptions::physical>("physical", "ranges of the firmware's map: addresses, type, node"));

void show_use(TextSink& out) {
    format(out, "{:>5} {:>14} {:>14} {:>14} {:>20}\n", "node", "total MiB", "used MiB", "free MiB",
           "given by others MiB");
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        memory::NodeUse const use = memory::use(node_id(i));
        format(out, "{:5} {:14.1} {:14.1} {:14.1} {:20.1}\n", i, memory_mib(use.total), memory_mib(use.used),
               memory_mib(use.total - use.used), memory_mib(use.spilled));
    }
}

void show_zones(TextSink& out) {
    format(out, "{:>5} {:>14} {:>14} {:>14} {:>19}\n", "node", "frames", "used", "free", "largest block MiB");
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        memory::NodeUse const use = memory::use(node_id(i));
        constexpr std::size_t frame = FrameAllocator::frame_bytes;
        format(out, "{:5} {:14} {:14} {:14} {:19.1}\n", i, use.total / frame, use.used / frame,
               (use.total - use.used) / frame, memory_mib(memory::largest_free_block(node_id(i))));
    }
}

// Those of the E820 map (ACPI 6.5, System Address Map Interfaces).
std::string_view name_of_type(std::uint32_t type) {
    switch (type) {
    case 1: return "RAM";
    case 2: return "reserved";
    case 3: return "ACPI tables";
    case 4: return "ACPI NVS";
    case 5: return "unusable";
    case 6: return "disabled";
    case 7: return "persistent";
    default: return "other";
    }
}

void print_range(TextSink& out, MemoryRange range, std::string_view type, std::string_view nodes) {
    format(out, "0x{:016x}-0x{:016x} {:>12.1}  {:<14} {}\n", raw(range.start), raw(range.start) + range.bytes - 1,
           memory_mib(range.bytes), type, nodes);
}

// Whose memory part of the range is: "0,1"; none: "-".
FixedText<64> nodes_of(MemoryRange range) {
    FixedText<64> nodes;
    for (topology::Node const& node : system_topology().nodes) {
        bool const overlaps = std::any_of(node.memory.begin(), node.memory.end(), [range](MemoryRange const& part) {
            return intersection(part, range).bytes > 0;
        });
        if (overlaps) format(nodes, "{}{}", nodes.view().empty() ? "" : ",", node.id);
    }
    if (nodes.view().empty()) nodes.append("-");
    return nodes;
}

void show_physical(TextSink& out) {
    bool const has_map = arch::firmware_range_count() > 0;
    if (!has_map)
        out.write("The firmware's map is the system's. These are the addresses that the program has for its nodes:\n");
    format(out, "{:<37} {:>12}  {:<14} {}\n", "addresses", "MiB", "type", "node");
    for (std::size_t i = 0; i < arch::firmware_range_count(); ++i) {
        auto const [range, type] = arch::firmware_range(i);
        if (range.bytes > 0) print_range(out, range, name_of_type(type), nodes_of(range).view());
    }
    if (has_map) return;
    for (topology::Node const& node : system_topology().nodes) {
        for (MemoryRange const& range : node.memory) print_range(out, range, "virtual", nodes_of(range).view());
    }
}

console::Outcome show_memory(console::Invocation& invocation, MemoryOptions const& options) {
    if (!options.zones && !options.physical) show_use(invocation.out);
    if (options.zones) show_zones(invocation.out);
    if (options.physical) show_physical(invocation.out);
    return console::Outcome::Ok;
}

constexpr auto memory_command = console::command<&show_memory, memory_schema>(
    {.name = "memory",
     .summary = "per node: total, used and free memory, and what other nodes had to give; zones, the firmware's map",
     .group = "machine",
     .nested = "part",
     .notes = "Example: memory --zones --physical\n"
              "A frame has 4 KiB. The largest block is what a single allocation can have. A range of the map that is\n"
              "RAM and of no node is not used: a WARN at boot has said why.\n"});
MXK_REGISTER(mxk_commands, console::Command, memory_command);

} // namespace
} // namespace mxk
