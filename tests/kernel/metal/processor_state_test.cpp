// What every core has switched on, and what it has not, whatever the firmware left. Metal only.
#include <algorithm>

#include "arch/execution.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::arch {
namespace {

// The kernel's page tables have four levels: with CR4.LA57 set, the first one would be read as a fifth (SDM vol. 3A
// section 4.5.1). The loaders hand over with paging off, where the bit can be cleared.
MXK_TEST(processor, walks_four_levels_of_page_tables) {
    constexpr std::uint64_t la57 = 1 << 12;
    MXK_CHECK(run_on(all_cores().span(), [](Worker&, std::size_t) {
        MXK_CHECK_EQUAL(read_cr4() & la57, 0U);
        return Step::Done;
    }));
}

// What is enabled and not saved would leak from one thread into another; what is saved and not needed costs time: AMX'
// tiles alone have 8 KiB.
MXK_TEST(processor, has_enabled_what_is_saved_and_nothing_else) {
    if (!features().xsave) MXK_SKIP("this processor has no XSAVE");
    constexpr std::uint64_t x87_to_avx = 0x07;
    constexpr std::uint64_t avx512 = 0xe0;
    MXK_CHECK(run_on(all_cores().span(), [](Worker&, std::size_t) {
        std::uint64_t const enabled = read_xcr0();
        MXK_CHECK_EQUAL(enabled, vector_states);
        MXK_CHECK_EQUAL(enabled & ~(x87_to_avx | avx512), 0U);
        MXK_CHECK((enabled & avx512) == 0 || (enabled & avx512) == avx512);
        return Step::Done;
    }));
}

// Leaf 0Dh says the whole, and of each state where it begins and how long it is (SDM vol. 1 section 13.4.3).
MXK_TEST(processor, has_room_for_all_that_is_saved) {
    if (!features().xsave) MXK_SKIP("this processor has no XSAVE");
    std::size_t end = 512 + 64; // legacy region and header
    for (unsigned state = 2; state < 63; ++state) {
        if ((vector_states >> state & 1) == 0) continue;
        CpuidResult const place = cpuid(0xd, state);
        end = std::max<std::size_t>(end, std::size_t{place.ebx} + place.eax);
    }
    MXK_CHECK_EQUAL(vector_state_bytes(), end);
}

// Registers that CPUID promises may be missing all the same: reading one must not end the kernel.
MXK_TEST(processor, a_register_that_is_not_there_is_nothing) {
    constexpr std::uint32_t x2apic_id = 0x802; // in xAPIC mode a fault: SDM vol. 3A section 11.12.1.2
    if (!features().x2apic || apic::is_x2apic()) MXK_SKIP("here is no register that is known to be missing");
    MXK_CHECK(!try_read_msr(x2apic_id).has_value());
    MXK_CHECK(try_read_msr(msr::apic_base).has_value());
}

MXK_TEST(processor, a_value_that_a_register_does_not_take_is_told) {
    constexpr std::uint32_t protection_keys = 0x6e1; // IA32_PKRS: bits 32 to 63 are reserved (SDM vol. 4 table 2-2)
    constexpr std::uint32_t has_it = std::uint32_t{1} << 31;
    if (cpuid(0).eax < 7 || (cpuid(7).ecx & has_it) == 0) MXK_SKIP("this processor has no IA32_PKRS");
    std::uint64_t const before = read_msr(protection_keys);
    MXK_CHECK(!try_write_msr(protection_keys, std::uint64_t{1} << 32));
    MXK_CHECK_EQUAL(read_msr(protection_keys), before);
    MXK_CHECK(try_write_msr(protection_keys, before));
}

} // namespace
} // namespace mxk::arch
