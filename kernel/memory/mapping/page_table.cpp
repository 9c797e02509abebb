#include "kernel/memory/mapping/page_table.hpp"

#include <new>
#include <utility>

#include "base/inject.hpp"
#include "base/panic.hpp"

namespace mxk::mapping {

using arch::translations::Table;

namespace {

constexpr unsigned top_level = 4;

std::size_t slot(std::uint64_t address, unsigned level) {
    return address >> (12 + 9 * (level - 1)) & (arch::translations::entries_per_table - 1);
}

Table& table_at(std::uint64_t entry) {
    auto const address = static_cast<PhysicalAddress>(entry & arch::translations::entry_address);
    return *static_cast<Table*>(arch::translations::memory_at(address));
}

} // namespace

Result<PageTable> PageTable::create(NodeId node) {
    PageTable result(node);
    result.root_ = MXK_TRY(result.new_table());
    arch::translations::begin_root(*result.root_);
    return result;
}

PageTable::PageTable(PageTable&& other) noexcept
    : node_(other.node_)
    , chunks_(std::exchange(other.chunks_, nullptr))
    , unused_(other.unused_)
    , unused_count_(std::exchange(other.unused_count_, 0))
    , count_(other.count_)
    , root_(std::exchange(other.root_, nullptr)) {}

PageTable::~PageTable() {
    if (root_ != nullptr) arch::translations::end_root(*root_);
    while (chunks_ != nullptr) memory::free(std::exchange(chunks_, chunks_->next)->block);
}

Result<Table*> PageTable::new_table() {
    LockGuard const guard(lock_);
    if (unused_count_ == 0) {
        auto const block = MXK_TRY(memory::allocate((tables_per_chunk + 1) * sizeof(Table), alignof(Table), node_));
        chunks_ = new (static_cast<void*>(block.address)) Chunk{block, chunks_};
        unused_ = reinterpret_cast<Table*>(block.address) + 1;
        unused_count_ = tables_per_chunk;
    }
    --unused_count_;
    ++count_;
    return new (static_cast<void*>(unused_++)) Table;
}

Result<std::uint64_t> PageTable::table_in(Entry& place) {
    std::uint64_t found = place.load(std::memory_order_acquire); // pairs with the release below: it is empty, or filled
    if (found != entry::free) return found;
    Table* const table = MXK_TRY(new_table());
    std::uint64_t const made = arch::translations::table_entry(arch::translations::address_of(table));
    inject::point();
    if (place.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire)) return made;
    LockGuard const guard(lock_);
    if (table + 1 == unused_) { // given back, if no other came after it; else it is left over until all go
        --unused_;
        ++unused_count_;
        --count_;
    }
    return found;
}

Result<PageTable::Entry*> PageTable::entry_for(std::uint64_t address, PageSize size) {
    namespace window = arch::translations;
    expect(address >= window::window_base && address - window::window_base < window::window_bytes &&
               is_aligned(address, bytes(size)),
           "a page lies in the window, aligned to its size");
    Table* table = root_;
    for (unsigned at = top_level; at > level(size); --at) {
        std::uint64_t const found = MXK_TRY(table_in(table->entries[slot(address, at)]));
        if (!entry::is_present(found) || (found & window::entry_large) != 0)
            return Error::of("expected a free address, got 0x{:x}, where a larger page is", address);
        table = &table_at(found);
    }
    Entry& place = table->entries[slot(address, level(size))];
    std::uint64_t const found = place.load(std::memory_order_relaxed);
    if (size != PageSize::Small && entry::is_present(found) && (found & window::entry_large) == 0)
        return Error::of("expected a free address, got 0x{:x}, where there are tables for smaller pages", address);
    return &place;
}

} // namespace mxk::mapping
