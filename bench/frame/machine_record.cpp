#include "bench/frame/machine_record.hpp"

#include "arch/machine.hpp"
#include "base/log.hpp"
#include "kernel/clock.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

void write_machine(JsonWriter& json) {
    arch::MachineDescription const machine = arch::describe_machine();
    topology::Topology const& topology = system_topology();
    json.begin_object("machine");
    json.field("cpu", machine.cpu);
    json.field("tsc_hz", clock::frequency());
    json.field("nodes", topology.nodes.size());
    json.field("cores", topology.cores.size());
    json.field("memory_bytes", topology.memory_bytes());
    json.field("hypervisor", machine.hypervisor);
    json.field("platform", machine.platform);
    json.field("pages", machine.pages);
    json.field("build", machine.build);
    json.end_object();
    json.begin_array("warnings");
    for (log::Line const& line : log::warnings()) json.element(line.view());
    json.end_array();
    json.field("warning_count", log::warning_count());
}

} // namespace mxk::bench
