// What must and what must not be possible in the kernel's address space. Metal only.
#include "arch/stacks.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/exceptions/descriptors.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "arch/x86_64/start/boot_stacks.hpp"
#include "arch/x86_64/start/image.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

extern "C" char boot_page_table[]; // entry.asm: a physical address

namespace mxk::arch {
namespace {

std::uint64_t number(void const* address) {
    return reinterpret_cast<std::uint64_t>(address);
}

MXK_TEST(paging, nothing_is_writable_and_executable) {
    if (!features().no_execute) MXK_SKIP("this processor cannot forbid execution");
    MXK_CHECK_EQUAL(writable_and_executable_bytes(), 0U);
}

MXK_TEST(paging, nothing_of_the_boot_page_tables_is_writable_and_executable) {
    if (!features().no_execute) MXK_SKIP("this processor cannot forbid execution");
    std::uint64_t const start = number(boot_code_end);
    auto const bytes = static_cast<std::size_t>(boot_tables_end - boot_code_end);
    DirectMapReader reader;
    MXK_CHECK(reader.view(static_cast<PhysicalAddress>(start), bytes).empty()); // it is the kernel's own
    MXK_CHECK(map(direct_map_base + start, static_cast<PhysicalAddress>(start), bytes, Access::ReadOnly));
    auto const tables = static_cast<PhysicalAddress>(number(boot_page_table));
    MXK_CHECK_EQUAL(writable_and_executable_bytes(tables), 0U);
    // Where the direct map was, nothing is left of it.
    auto const* const top = reinterpret_cast<std::uint64_t const*>(to_virtual(tables));
    for (std::size_t i = 0; i < 512; ++i) MXK_CHECK_EQUAL(top[i] != 0, i == 0 || i == 511);
}

MXK_TEST(paging, code_and_constants_cannot_be_written) {
    MXK_CHECK(can_read(number(text_start)));
    MXK_CHECK(!can_write(number(text_start)));
    MXK_CHECK(!can_write(number(text_end) - 1));
    MXK_CHECK(!can_write(number(text_end)));
    MXK_CHECK(!can_write(number(rodata_end) - 1));
    MXK_CHECK(can_write(number(rodata_end)));
}

MXK_TEST(paging, the_image_has_no_second_way_in) {
    MXK_CHECK(!translate(direct_map_base + (number(text_start) - kernel_base)).has_value());
    MXK_CHECK(!translate(number(text_start) - kernel_base).has_value()); // identity
}

MXK_TEST(paging, null_and_guard_pages_are_not_mapped) {
    MXK_CHECK(!can_read(0));
    MXK_CHECK(!can_read(4095));
    MXK_CHECK(!can_read(number(boot_stack_guard)));
    MXK_CHECK(!can_write(number(boot_stack_guard) + page_bytes - 1));
    MXK_CHECK(can_write(number(boot_stack_guard) + page_bytes));
}

// The calling core's, by the task register and the GDT (SDM vol. 3A figure 8-4).
std::uint64_t interrupt_stack_top(unsigned which) {
    struct [[gnu::packed]] {
        std::uint16_t limit;
        std::uint64_t base;
    } gdt{};
    asm volatile("sgdt %0" : "=m"(gdt));
    auto const* const entry = reinterpret_cast<std::uint64_t const*>(gdt.base + task_selector); // NOLINT
    std::uint64_t const base = (entry[0] >> 16 & 0xff'ffff) | (entry[0] >> 56) << 24 | entry[1] << 32;
    return reinterpret_cast<TaskState const*>(base)->interrupt_stacks[which]; // NOLINT(performance-no-int-to-ptr)
}

MXK_TEST(paging, the_stacks_of_interrupts_lie_behind_guards_on_all_cores) {
    auto const cores = all_cores();
    bool const ran = run_on(cores.span(), [](Worker&, std::size_t) {
        for (unsigned i = 0; i < interrupt_stack_count; ++i) {
            std::uint64_t const top = interrupt_stack_top(i);
            auto const stack = stacks::containing(top - 8, 8);
            MXK_CHECK(stack.has_value() && stack->top() == top && stack->bytes == interrupt_stack_bytes);
            if (!stack) continue;
            MXK_CHECK(can_write(stack->bottom) && can_write(top - 1));
            MXK_CHECK(!can_read(stack->bottom - 1) && !can_read(stack->bottom - page_bytes));
            auto const overflowed = stacks::overflowed(stack->bottom - 1);
            MXK_CHECK(overflowed.has_value() && overflowed->purpose == core_stack_purposes[1 + i]);
        }
        return Step::Done;
    });
    MXK_CHECK(ran);
    // Where start64.asm has them.
    MXK_CHECK_EQUAL(boot_stacks().front().top(), number(boot_stack_top));
    MXK_CHECK_EQUAL(boot_stacks().back().top(), number(boot_interrupt_stacks_end));
}

MXK_TEST(paging, stacks_lie_behind_guards) {
    auto const stack = stacks::create(16 * KiB, node_id(0), "test");
    MXK_CHECK(stack.ok());
    if (!stack.ok()) return;
    MXK_CHECK(can_write(stack.value().bottom));
    MXK_CHECK(can_write(stack.value().top() - 1));
    MXK_CHECK(!can_read(stack.value().bottom - 1));
    MXK_CHECK(stacks::containing(stack.value().bottom, 16).has_value());
    MXK_CHECK(!stacks::containing(stack.value().bottom - 1, 1).has_value());
    auto const hit = stacks::overflowed(stack.value().bottom - 1);
    MXK_CHECK(hit.has_value() && hit->purpose == "test");
    stacks::release(stack.value());
    auto const again = stacks::create(10'000, node_id(0), "test again");
    MXK_CHECK(again.ok() && again.value().bottom == stack.value().bottom);
    auto const large = stacks::create(16 * MiB, node_id(0), "large");
    MXK_CHECK(large.ok() && can_write(large.value().bottom) && !can_read(large.value().bottom - 1));
    if (again) stacks::release(again.value());
    if (large) stacks::release(large.value());
}

MXK_TEST(paging, memory_is_mapped_with_large_pages) {
    auto const block = memory::allocate(8 * MiB, 2 * MiB, node_id(0));
    MXK_CHECK(block.ok());
    if (!block.ok()) return;
    auto const place = translate(number(block.value().address) + 2 * MiB);
    MXK_CHECK(place.has_value() && place->page_bytes >= 2 * MiB);
    MXK_CHECK(place.has_value() && place->writable && !(place->executable && features().no_execute));
    MXK_CHECK(place.has_value() && to_virtual(place->physical) == block.value().address + 2 * MiB);
    memory::free(block.value());
}

} // namespace
} // namespace mxk::arch
