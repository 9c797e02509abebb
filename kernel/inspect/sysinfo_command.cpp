// `version` and `sysinfo`: what this build is, and what it runs on.
#include "arch/boot_report.hpp"
#include "arch/cpu.hpp"
#include "arch/machine.hpp"
#include "arch/processor.hpp"
#include "base/log.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/topology/system_topology.hpp"
#include "kernel/uptime.hpp"
#include <build_description.hpp> // made by tools/build_description.cmake

namespace mxk {
namespace {

constexpr std::size_t label_columns = 14;
constexpr std::size_t max_columns = 100;

// "label         ": what follows stands below what follows the others.
void begin_entry(TextSink& out, std::string_view label) {
    format(out, "{:<14}", label);
}

// Words in lines of bounded width, the further ones below the first.
void print_wrapped(TextSink& out, std::string_view words) {
    std::size_t column = label_columns;
    std::string_view separator;
    while (!words.empty()) {
        std::string_view const word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        if (column != label_columns && column + 1 + word.size() > max_columns) {
            format(out, "\n{:14}", "");
            column = label_columns;
            separator = {};
        }
        out.write(separator);
        out.write(word);
        column += separator.size() + word.size();
        separator = " ";
    }
    out.write("\n");
}

double mebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(MiB);
}

void print_build(TextSink& out) {
    begin_entry(out, "version");
    out.write("MXK " MXK_VERSION "\n");
    begin_entry(out, "revision");
    out.write(MXK_REVISION ", last commit of " MXK_COMMIT_DAY "\n");
    begin_entry(out, "compiler");
    out.write(MXK_COMPILER "\n");
    begin_entry(out, "platform");
    format(out, "{}\n", arch::describe_machine().platform);
}

void print_processor(TextSink& out, arch::MachineDescription const& machine) {
    begin_entry(out, "processor");
    format(out, "{}{}{}, microcode {}\n", machine.cpu, machine.hypervisor.empty() ? "" : ", under ", machine.hypervisor,
           machine.microcode.empty() ? "not told" : machine.microcode);
    begin_entry(out, "speculation");
    print_wrapped(out, machine.mitigations);
    begin_entry(out, "features");
    FixedText<1024> features; // with all there are names for, some 600
    arch::write_features(features);
    print_wrapped(out, features.view());
}

void print_resources(TextSink& out, arch::MachineDescription const& machine) {
    topology::Topology const& topology = system_topology();
    begin_entry(out, "cores");
    format(out, "{} of {} that the firmware lists; nodes: {} ('topology')\n", topology.cores.size(),
           topology.listed_cores, topology.nodes.size());
    std::uint64_t free = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        memory::NodeUse const use = memory::use(node_id(i));
        free += use.total - use.used;
    }
    begin_entry(out, "memory");
    format(out, "{:.1} MiB, {:.1} of them free ('memory')\n", mebibytes(topology.memory_bytes()), mebibytes(free));
    begin_entry(out, "pages");
    print_wrapped(out, machine.pages);
    begin_entry(out, "clock");
    if (arch::timestamp_frequency_is_known())
        format(out, "time-stamp counter, {:.3} MHz\n", clock::frequency() / 1e6);
    else
        out.write("time-stamp counter, its frequency is not known\n");
}

void print_start(TextSink& out, arch::MachineDescription const& machine) {
    auto const boot = arch::boot_report();
    begin_entry(out, "started by");
    format(out, "{}, ", boot.loader.empty() ? machine.platform : boot.loader);
    clock::print_duration(out, clock::uptime());
    out.write(" ago\n");
    begin_entry(out, "command line");
    format(out, "{}\n", boot.command_line.empty() ? "(empty)" : boot.command_line);
    begin_entry(out, "warnings");
    format(out, "{} since the start\n", log::warning_count());
}

console::Outcome show_version(console::Invocation& invocation) {
    print_build(invocation.out);
    return console::Outcome::Ok;
}

console::Outcome show_system(console::Invocation& invocation) {
    print_build(invocation.out);
    auto const machine = arch::describe_machine();
    print_processor(invocation.out, machine);
    print_resources(invocation.out, machine);
    print_start(invocation.out, machine);
    return console::Outcome::Ok;
}

constexpr auto version_command = console::command<&show_version>(
    {.name = "version",
     .summary = "what this build is: version, revision, compiler, platform",
     .group = "session",
     .notes = "Of the revision '-dirty' means that the sources had changes that are not committed. Builds of the same\n"
              "sources say the same: nothing of the time or the machine of the build is in them.\n"});
constexpr auto sysinfo_command = console::command<&show_system>(
    {.name = "sysinfo",
     .summary = "build, processor and its features, cores, memory, clock, loader and command line",
     .group = "machine"});
MXK_REGISTER(mxk_commands, console::Command, version_command);
MXK_REGISTER(mxk_commands, console::Command, sysinfo_command);

} // namespace
} // namespace mxk
