// Interrupts between cores, as the local APICs deliver them.
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/apic/apic_registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "base/preemption.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/run_on.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/metal/interrupts/post.hpp"
#include "tests/kernel/thread_group.hpp"

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
        std::uint64_t const volatile& unclaimed = arch::core_local().unclaimed_interrupts;
        std::uint64_t const unclaimed_before = unclaimed;
        arch::apic::send(system_topology().cores[core].apic_id, unhandled);
        interrupts.send(core);
        std::uint64_t const start = raw(clock::now());
        constexpr std::uint64_t patience = 1'000'000'000; // ns
        while (interrupts.handled_by(core) == 0 && raw(clock::now()) - start < patience) arch::pause();
        bool const was_ended = !arch::apic::is_in_service(unhandled);
        MXK_CHECK(was_ended);
        while (unclaimed == unclaimed_before && raw(clock::now()) - start < patience) arch::pause();
        MXK_CHECK_EQUAL(unclaimed, unclaimed_before + 1);
        MXK_CHECK_EQUAL(arch::core_local().unclaimed_vector, unhandled);
        if (!was_ended) arch::apic::end_of_interrupt(); // the test after this one needs others
        while (interrupts.handled_by(core) == 0) arch::pause();
        return Step::Done;
    });
    MXK_CHECK(ran);
    // What its handler has left each core's worker posts, which needs the semaphore.
    for (std::size_t i = 0; ran && i < workers::count(); ++i) wait_until([&] { return semaphore.try_wait(); });
}

// A core whose timer is masked preempts no thread and ends no wait (SDM vol. 3A section 11.4.7.2: what is written to
// the entry while the APIC is off by software leaves it masked; QEMU's does not, Bochs' does).
MXK_TEST(interrupts, every_core_has_its_timer) {
    bool const ran = run_on(all_cores().span(), [](Worker&, std::size_t) {
        std::uint32_t const entry = arch::apic::read_register(arch::apic::offset::timer_vector);
        MXK_CHECK_EQUAL(entry & 0xff, arch::vector::timer);
        MXK_CHECK_EQUAL(entry & arch::apic::masked, 0U);
        return Step::Done;
    });
    MXK_CHECK(ran);
}

// A thread's slice is ended at once this way when grace periods wait for its core.
MXK_TEST(interrupts, a_timer_that_is_set_to_time_zero_fires_at_once) {
    bool const ran = run_on(all_cores().span(), [](Worker&, std::size_t) {
        constexpr std::uint64_t patience = 1'000'000'000; // ns
        arch::CoreLocal const volatile& local = arch::core_local();
        std::uint64_t const start = raw(clock::now());
        arch::arm_timer(Cycles{}); // the worker sets its own time again afterwards
        while (local.alarm != arch::never && raw(clock::now()) - start < patience) arch::pause();
        MXK_CHECK(local.alarm == arch::never);
        return Step::Done;
    });
    MXK_CHECK(ran);
}

// Once the slice has ended, the timer is not set for its end again, which is past: it would fire for ever.
MXK_TEST(interrupts, a_slice_that_ends_while_preemption_is_held_ends_once) {
    struct Holder {
        bool was_due = false;
        bool has_other_time = false;
        void operator()() {
            constexpr std::uint64_t patience = 1'000'000'000; // ns
            hold_preemption();
            arch::CoreLocal const volatile& local = arch::core_local();
            std::uint64_t const start = raw(clock::now());
            while (!(was_due && has_other_time) && raw(clock::now()) - start < patience) {
                was_due = local.preemption_is_due;
                has_other_time = was_due && local.timer_fires > clock::timestamp();
            }
            release_preemption();
        }
    } holder;
    ThreadGroup group(1);
    group.start({.core = core_id(workers::count() - 1), .name = "holder", .slice = Nanoseconds{100'000}}, holder);
    group.join();
    MXK_CHECK(holder.was_due);
    MXK_CHECK(holder.has_other_time);
}

} // namespace
} // namespace mxk
