// The page tables of one address space: four levels, of which the kernel's addresses are shared
// (arch/translations.hpp). Entries are changed by their owners, on any core at the same time: a table on
// the way is put in by one compare-exchange, and stays until all of them go, since processors keep addresses of tables,
// too.
//
// An entry of a page is in one of three states:
//
//   free       0
//   present    as the processor has it
//   withdrawn  not present, and cores may still have the translation: a mark, the epoch of Coherence in which that was
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arch/translations.hpp"
#include "base/result.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/memory/mapping/page_size.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::mapping {

namespace entry {

inline constexpr std::uint64_t free = 0;
constexpr bool is_present(std::uint64_t value) {
    return (value & arch::translations::entry_present) != 0;
}
constexpr std::uint64_t withdrawn(std::uint64_t epoch) {
    return epoch << 1;
}
constexpr bool is_withdrawn(std::uint64_t value) {
    return value != free && !is_present(value);
}

} // namespace entry

class PageTable {
  public:
    using Entry = std::atomic<std::uint64_t>;

    // On `node`. Errors: no memory.
    static Result<PageTable> create(NodeId node);
    PageTable(PageTable&& other) noexcept;
    PageTable& operator=(PageTable&&) = delete;
    // While no processor has it any more.
    ~PageTable();

    // Of the page of this size at the address, which is one of the window, aligned to it. Tables on the way are made.
    // Errors: no memory; a larger page is there, or tables for smaller ones are, or were. Any core; blocks for a lock.
    Result<Entry*> entry_for(std::uint64_t address, PageSize size);

    [[nodiscard]] arch::translations::Table& root() const { return *root_; }
    // 4 KiB each.
    [[nodiscard]] std::size_t tables() const { return count_; }

  private:
    // Tables are taken from memory some at a time; the first one of a chunk has a list of chunks in its place.
    struct Chunk {
        memory::Block block;
        Chunk* next;
    };
    static constexpr std::size_t tables_per_chunk = 8;

    explicit PageTable(NodeId node)
        : node_(node) {}
    Result<arch::translations::Table*> new_table();
    // What `place` has instead of a free entry, now a table if it was free.
    Result<std::uint64_t> table_in(Entry& place);

    NodeId node_;
    SpinLock lock_{lock_bands::objects.rank(13)}; // the three below
    Chunk* chunks_ = nullptr;
    arch::translations::Table* unused_ = nullptr;
    std::size_t unused_count_ = 0;
    std::size_t count_ = 0;
    arch::translations::Table* root_ = nullptr;
};

} // namespace mxk::mapping
