#include "arch/x86_64/start/boot_stacks.hpp"

#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/start/image.hpp"

namespace mxk::arch {

std::array<stacks::Stack, 1 + interrupt_stack_count> boot_stacks() {
    std::array<stacks::Stack, 1 + interrupt_stack_count> result{};
    auto const first = reinterpret_cast<std::uint64_t>(boot_stack_guard) + page_bytes;
    result[0] = {first, reinterpret_cast<std::uint64_t>(boot_stack_top) - first, core_stack_purposes[0], {}};
    auto bottom = reinterpret_cast<std::uint64_t>(boot_interrupt_stacks) + page_bytes;
    for (std::size_t i = 1; i < result.size(); ++i, bottom += interrupt_stack_bytes + page_bytes)
        result[i] = {bottom, interrupt_stack_bytes, core_stack_purposes[i], {}};
    return result;
}

} // namespace mxk::arch
