// What every core has switched on, and what it has not, whatever the firmware left. Metal only.
#include <algorithm>

#include "arch/execution.hpp"
#include "arch/x86_64/cpu_features.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/registers.hpp"
#include "kernel/testing.hpp"
#include "tasks/parallel.hpp"
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

} // namespace
} // namespace mxk::arch
