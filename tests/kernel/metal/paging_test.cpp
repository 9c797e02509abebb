// What must and what must not be possible in the kernel's address space. Metal only.
#include "arch/stacks.hpp"
#include "arch/x86_64/cpu_features.hpp"
#include "arch/x86_64/fixup.hpp"
#include "arch/x86_64/paging.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"

extern "C" {
extern char text_start[], text_end[], rodata_end[], boot_stack_guard[];
}

namespace mxk::arch {
namespace {

std::uint64_t number(void const* address) {
    return reinterpret_cast<std::uint64_t>(address);
}

MXK_TEST(paging, nothing_is_writable_and_executable) {
    if (!features().no_execute) MXK_SKIP("this processor cannot forbid execution");
    MXK_CHECK_EQUAL(writable_and_executable_bytes(), 0U);
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
