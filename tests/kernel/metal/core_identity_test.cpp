// Whether the processors are those that the firmware's tables name. Metal only: on Linux the system keeps them apart.
#include "arch/x86_64/apic/apic.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

MXK_TEST(topology, every_core_has_its_apic_id) {
    bool const ran = run_on(all_cores().span(), [](Worker&, std::size_t place) {
        MXK_CHECK(arch::core_local().apic_id == system_topology().cores[place].apic_id);
        MXK_CHECK(arch::apic::id() == system_topology().cores[place].apic_id);
        return Step::Done;
    });
    MXK_CHECK(ran);
}

} // namespace
} // namespace mxk
