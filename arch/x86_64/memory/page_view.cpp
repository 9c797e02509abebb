#include "arch/page_view.hpp"

#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/paging.hpp"

namespace mxk::arch {
namespace {

// The direct map as it would be if pages of this size were the largest: mapped where it is first asked for, and then
// for good, since the same memory always has the same place in it.
constexpr std::uint64_t base_of_view(std::size_t page_size) {
    return page_size == 2 * MiB ? two_mebibyte_view_base : four_kibibyte_view_base;
}

bool is_mapped_by(std::byte const* start, std::size_t bytes, std::size_t page_size) {
    for (std::size_t at = 0; at < bytes; at += page_size) {
        auto const found = translate(reinterpret_cast<std::uint64_t>(start + at));
        if (!found || found->page_bytes != page_size) return false;
    }
    return true;
}

} // namespace

Result<PageView> PageView::create(std::span<std::byte> memory, std::size_t page_size) {
    if (is_mapped_by(memory.data(), memory.size(), page_size)) return PageView(memory, memory.data());
    if (page_size == GiB) return Error("the memory is not mapped by pages of 1 GiB");
    PhysicalAddress const physical = to_physical(memory.data());
    if (raw(physical) + memory.size() > view_bytes) return Error("the memory lies beyond 16 TiB");
    std::uint64_t const start = base_of_view(page_size) + raw(physical);
    MXK_TRY(map(start, physical, memory.size(), Access::ReadWrite, page_size));
    return PageView(memory, reinterpret_cast<std::byte*>(start)); // NOLINT(performance-no-int-to-ptr)
}

PageView::~PageView() = default;

} // namespace mxk::arch
