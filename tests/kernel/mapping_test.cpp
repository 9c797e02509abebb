// Memory that is mapped twice (after HelenOS's mapping1): what is written through one page is read through the other.
// In the Linux build, where the second mapping may be the first one by other pages, it stays the same memory, too.
#include <cstddef>
#include <cstdint>
#include <span>

#include "arch/page_view.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"

namespace mxk {
namespace {

constexpr std::size_t small_page = 4 * KiB;

MXK_TEST(mapping1, what_is_written_through_a_page_is_read_through_the_other) {
    for (std::size_t node = 0; node < memory::node_count(); ++node) {
        auto const block = memory::allocate(2 * MiB, 2 * MiB, node_id(node));
        MXK_CHECK(block.ok());
        if (!block) return;
        std::span<std::byte> const bytes{block.value().address, block.value().bytes};
        {
            auto const view = arch::PageView::create(bytes, small_page);
            MXK_CHECK(view.ok());
            if (view) {
                auto* const here = reinterpret_cast<std::uint64_t volatile*>(bytes.data());
                auto* const there = reinterpret_cast<std::uint64_t volatile*>(view.value().start());
                std::size_t const words_of_page = small_page / 8;
                for (std::size_t i = 0; i < bytes.size() / small_page; ++i) {
                    std::uint64_t const pattern = 0x5bad'f00d'0000'0000 | i;
                    here[i * words_of_page] = pattern;
                    there[i * words_of_page + words_of_page - 1] = ~pattern;
                }
                for (std::size_t i = 0; i < bytes.size() / small_page; ++i) {
                    std::uint64_t const pattern = 0x5bad'f00d'0000'0000 | i;
                    MXK_CHECK_EQUAL(there[i * words_of_page], pattern);
                    MXK_CHECK_EQUAL(here[i * words_of_page + words_of_page - 1], ~pattern);
                }
            }
        }
        memory::free(block.value());
    }
}

} // namespace
} // namespace mxk
