// Memory through pages of another size: it is the same memory, and each size is what was asked for.
#include "arch/page_view.hpp"

#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "tasks/worker.hpp"

namespace mxk {
namespace {

std::uint64_t page_bytes_at(std::byte const* address) {
    auto const found = arch::translate(reinterpret_cast<std::uint64_t>(address));
    return found ? found->page_bytes : 0;
}

MXK_TEST(mapping1, is_the_same_memory_by_other_pages) {
    auto const block = memory::allocate(4 * MiB, 2 * MiB, Worker::current().node());
    MXK_CHECK(block.ok());
    if (!block.ok()) return;
    std::span<std::byte> const memory{block.value().address, block.value().bytes};
    for (std::size_t const size : {4 * KiB, 2 * MiB}) {
        auto const view = arch::PageView::create(memory, size);
        MXK_CHECK(view.ok());
        if (!view.ok()) continue;
        std::byte* const start = view.value().start();
        for (std::size_t at = 0; at < memory.size(); at += size) MXK_CHECK_EQUAL(page_bytes_at(start + at), size);
        for (std::size_t const at : {std::size_t{0}, 2 * MiB - 1, memory.size() - 1}) {
            memory[at] = std::byte{1};
            MXK_CHECK(static_cast<std::byte volatile&>(start[at]) == std::byte{1});
            static_cast<std::byte volatile&>(start[at]) = std::byte{2};
            MXK_CHECK(static_cast<std::byte volatile&>(memory[at]) == std::byte{2});
        }
        auto const again = arch::PageView::create(memory, size);
        MXK_CHECK(again.ok() && again.value().start() == start);
    }
    if (arch::features().no_execute) MXK_CHECK_EQUAL(arch::writable_and_executable_bytes(), 0);
    memory::free(block.value());
}

} // namespace
} // namespace mxk
