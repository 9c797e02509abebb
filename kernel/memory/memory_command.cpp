// `memory`: use per node.
#include "kernel/console/command.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk {
namespace {

console::Outcome show_memory(console::Invocation& invocation) {
    constexpr auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / static_cast<double>(MiB); };
    format(invocation.out, "{:>5} {:>14} {:>14} {:>14} {:>20}\n", "node", "total MiB", "used MiB", "free MiB",
           "given by others MiB");
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        memory::NodeUse const use = memory::use(node_id(i));
        format(invocation.out, "{:5} {:14.1} {:14.1} {:14.1} {:20.1}\n", i, mib(use.total), mib(use.used),
               mib(use.total - use.used), mib(use.spilled));
    }
    return console::Outcome::Ok;
}

constexpr auto memory_command = console::command<&show_memory>(
    {.name = "memory",
     .summary = "per node: total, used and free memory, and what other nodes had to give",
     .group = "machine"});
MXK_REGISTER(mxk_commands, console::Command, memory_command);

} // namespace
} // namespace mxk
