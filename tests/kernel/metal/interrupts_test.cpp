// Interrupts between cores, as the local APICs deliver them.
#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/parallel.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/metal/interrupts/post.hpp"

namespace mxk {
namespace {

// One may come late, when its handler is gone. Where it was not ended, the core got no other one any more: not even
// what wakes it.
MXK_TEST(interrupts, that_nobody_handles_do_not_keep_others_away) {
    constexpr unsigned handled = arch::vector::first_free;
    constexpr unsigned unhandled = handled + 1;
    static_assert(handled / 16 == unhandled / 16, "of one priority: the one waits for the other's end");
    Semaphore semaphore;
    PostingInterrupts interrupts(handled, semaphore);
    bool const ran = run_on(all_cores().span(), [&](Worker&, std::size_t core) {
        arch::apic::send(system_topology().cores[core].apic_id, unhandled);
        interrupts.send(core);
        std::uint64_t const start = raw(clock::now());
        constexpr std::uint64_t patience = 1'000'000'000; // ns
        while (interrupts.handled_by(core) == 0 && raw(clock::now()) - start < patience) arch::pause();
        bool const was_ended = !arch::apic::is_in_service(unhandled);
        MXK_CHECK(was_ended);
        if (!was_ended) arch::apic::end_of_interrupt(); // the test after this one needs others
        while (interrupts.handled_by(core) == 0) arch::pause();
        return Step::Done;
    });
    MXK_CHECK(ran);
}

} // namespace
} // namespace mxk
