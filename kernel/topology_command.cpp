// `topology`: what this machine consists of.
#include "kernel/console/command.hpp"
#include "kernel/system_topology.hpp"

namespace mxk {
namespace {

console::Outcome show_topology(console::Invocation& invocation) {
    if (auto const none = console::expect_no_arguments(invocation); !none) return invocation.fail(none.error());
    topology::print(invocation.out, system_topology());
    return console::Outcome::Ok;
}

constexpr console::Command topology_command{
    .name = "topology",
    .summary = "nodes with their memory, cores with their APIC ids, distances between nodes",
    .run = &show_topology,
};
MXK_REGISTER(mxk_commands, console::Command, topology_command);

} // namespace
} // namespace mxk
