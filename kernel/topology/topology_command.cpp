// `topology`: what this machine consists of, or what the kernel would bring up on another whose ACPI tables lie here.
#include "arch/files.hpp"
#include "arch/machine.hpp"
#include "base/format.hpp"
#include "base/json_line.hpp"
#include "kernel/acpi/dump_files.hpp"
#include "kernel/acpi/memory_image.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"
#include "kernel/memory/scratch_memory.hpp"
#include "kernel/topology/system_topology.hpp"
#include "kernel/topology/topology_part.hpp"
#include "kernel/topology/topology_preview.hpp"

namespace mxk {
namespace {

using console::Invocation;
using console::Outcome;

struct DumpPath {
    std::string_view text; // empty: not given
};
Result<void> parse_value(std::string_view text, DumpPath& path) {
    if (text.empty()) return Error("expected the path of a directory or a file, got ''");
    path.text = text;
    return {};
}
void print_value(TextSink& out, DumpPath const& path) {
    out.write(path.text);
}
void describe_value(TextSink& out, DumpPath const&) {
    out.write("PATH");
}

struct TopologyOptions {
    DumpPath acpi;
    bool json = false;
};

constexpr auto topology_schema = console::schema<TopologyOptions>(
    console::option<&TopologyOptions::acpi>("acpi", "preview the machine whose ACPI tables lie there"),
    console::flag<&TopologyOptions::json>("json", "one JSON line instead, for tools"));

// `dump`: what the tables were read from; empty: they are this machine's.
void print_json(TextSink& out, std::string_view dump, topology::Topology const& topology,
                std::span<log::Line const> warnings, std::size_t warning_count) {
    JsonLine line(out);
    JsonWriter& json = line.json();
    json.field("topology", dump.empty() ? "this machine" : "preview");
    if (!dump.empty()) json.field("acpi", dump);
    if (dump.empty()) {
        auto const machine = arch::describe_machine();
        json.field("cpu", machine.cpu);
        json.field("microcode", machine.microcode);
        json.field("mitigations", machine.mitigations);
    }
    topology::write_json(json, topology);
    if (dump.empty())
        for (topology::Part const* const part : topology::registered_parts()) part->write_json(json);
    json.begin_array("warnings");
    for (log::Line const& warning : warnings) json.element(warning.view());
    json.end_array();
    json.field("warning_count", warning_count);
    line.end();
}

void show_machine(TextSink& out, bool as_json) {
    if (!as_json) {
        topology::print(out, system_topology());
        auto const machine = arch::describe_machine();
        format(out, "cpu {}, microcode {}, {}\n", machine.cpu,
               machine.microcode.empty() ? "not told" : machine.microcode, machine.mitigations);
        for (topology::Part const* const part : topology::registered_parts()) part->print(out);
        return;
    }
    print_json(out, {}, system_topology(), log::warnings(), log::warning_count());
}

// `path`: an image of memory, or whatever read_dump() takes.
Result<topology::Preview> preview_of_path(std::string_view path, Arena& arena) {
    if (MXK_TRY(arch::file_kind(path)) == arch::FileKind::File) {
        auto const file = MXK_TRY(arch::read_file(path, acpi::max_memory_image_bytes, arena));
        if (acpi::MemoryImage::begins(file)) return topology::preview(file, arena);
    }
    return topology::preview(MXK_TRY(acpi::read_dump(path, arena)), arena);
}

Result<void> show_preview(TextSink& out, TopologyOptions const& options) {
    memory::ScratchMemory memory(node_id(0));
    Arena arena(memory);
    topology::Preview const preview = MXK_TRY(preview_of_path(options.acpi.text, arena));
    if (options.json) {
        print_json(out, options.acpi.text, preview.topology, preview.warnings, preview.warnings.size());
        return {};
    }
    format(out, "preview of {}\n", options.acpi.text);
    topology::print(out, preview);
    return {};
}

Outcome run_topology(Invocation& invocation, TopologyOptions const& options) {
    if (options.acpi.text.empty()) {
        show_machine(invocation.out, options.json);
        return Outcome::Ok;
    }
    if (auto const shown = show_preview(invocation.out, options); !shown) return invocation.fail(shown.error());
    return Outcome::Ok;
}

constexpr auto topology_command = console::command<&run_topology, topology_schema>(
    {.name = "topology",
     .summary = "nodes with their memory, cores with their APIC ids, distances between nodes",
     .group = "machine",
     .notes = "PATH (Linux program only) is a directory of binary tables such as /sys/firmware/acpi/tables,\n"
              "with files APIC, SRAT, SLIT, HMAT or apic.dat, ..., or the text that acpidump writes, or an image\n"
              "of firmware's memory (tools/mxk firmware). It shows what the kernel would bring up there, and\n"
              "each WARN.\n"});
MXK_REGISTER(mxk_commands, console::Command, topology_command);

} // namespace
} // namespace mxk
