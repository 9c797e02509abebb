// arch/translations.hpp for the model checker. A core's TLB keeps what a walk has found until it is told to forget it,
// as arch/linux/emulated_tlb.cpp; page tables are small. A processor may walk before an access wants it to: if a use
// says so, it does whenever a space is made the active one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "arch/core_local.hpp"
#include "base/units.hpp"
#include "tests/model/atomic.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk::arch::translations {

inline constexpr std::uint64_t window_base = std::uint64_t{1} << 46;
inline constexpr std::uint64_t window_bytes = 4 * MiB;

inline constexpr std::uint64_t entry_present = 1 << 0;
inline constexpr std::uint64_t entry_writable = 1 << 1;
inline constexpr std::uint64_t entry_large = 1 << 2;
inline constexpr std::uint64_t entry_address = ~std::uint64_t{63};

inline std::uint64_t page_entry(PhysicalAddress frame, unsigned level) {
    return raw(frame) | entry_present | (level > 1 ? entry_large : 0);
}
inline std::uint64_t table_entry(PhysicalAddress table) {
    return raw(table) | entry_present | entry_writable;
}

inline constexpr std::size_t entries_per_table = 2;
struct alignas(64) Table {
    test::ModelAtomic<std::uint64_t> entries[entries_per_table]{};
};

inline PhysicalAddress address_of(void const* memory) {
    return static_cast<PhysicalAddress>(reinterpret_cast<std::uintptr_t>(memory));
}
inline void* memory_at(PhysicalAddress address) {
    return reinterpret_cast<void*>(raw(address)); // NOLINT(performance-no-int-to-ptr)
}

struct Abilities {
    bool tags;
    bool tagged_pages;
    bool gigabyte_pages;
};
inline constexpr unsigned tags = 64;

} // namespace mxk::arch::translations

namespace mxk::test {

// A word of memory, which is a page.
struct alignas(64) ModelPage {
    ModelPlain<std::uint64_t> word{0U};
};

// Of a core: nobody else looks into it.
class ModelTlb {
    using Table = arch::translations::Table;

  public:
    static constexpr std::size_t pages = 2;                  // of a space, the first ones of its window
    static inline arch::translations::Abilities abilities{}; // set by a use, both
    static inline bool walks_early = false;

    static void forget_all();
    static ModelTlb& own();

    void activate(Table* root, unsigned tag, bool keep) {
        root_ = root;
        tag_ = tag;
        if (!abilities.tags)
            kept_ = {};
        else if (!keep)
            kept_.at(tag) = {};
        if (!walks_early || root == nullptr) return;
        for (std::size_t page = 0; page < pages; ++page) find(page);
    }
    bool forget_page(unsigned tag, bool is_active, std::size_t page) {
        if (!is_active && !abilities.tagged_pages) return false;
        kept_.at(is_active ? tag_ : tag).at(page) = 0; // as INVLPG does, and INVPCID
        return true;
    }
    // Null: a page fault.
    ModelPage* translate(std::size_t page, bool is_write) {
        using namespace arch::translations;
        if (root_ == nullptr) return nullptr;
        std::uint64_t const entry = find(page);
        if (is_write && (entry & entry_writable) == 0) {
            kept_.at(tag_).at(page) = 0;
            return nullptr;
        }
        return static_cast<ModelPage*>(memory_at(static_cast<PhysicalAddress>(entry & entry_address)));
    }

  private:
    std::uint64_t find(std::size_t page) {
        using namespace arch::translations;
        std::uint64_t& kept = kept_.at(tag_).at(page);
        if (kept != 0) return kept;
        std::uint64_t const upper = root_->entries[0].load(std::memory_order_acquire);
        if ((upper & entry_present) == 0) return 0;
        auto* const table = static_cast<Table*>(memory_at(static_cast<PhysicalAddress>(upper & entry_address)));
        std::uint64_t const found = table->entries[page].load(std::memory_order_acquire);
        if ((found & entry_present) != 0) kept = found;
        return kept;
    }

    Table* root_ = nullptr;
    unsigned tag_ = 0;
    std::array<std::array<std::uint64_t, pages>, 4> kept_{}; // by tag
};
inline std::array<ModelTlb, max_model_threads> model_tlbs{};
inline void ModelTlb::forget_all() {
    model_tlbs = {};
}
inline ModelTlb& ModelTlb::own() {
    return model_tlbs.at(index(arch::core_local().id));
}

} // namespace mxk::test

namespace mxk::arch::translations {

inline Abilities abilities() {
    return test::ModelTlb::abilities;
}

inline void begin_root(Table& /*top*/) {}
inline void end_root(Table& /*top*/) {}

inline void activate(Table& root, unsigned tag, bool keep) {
    test::WeakMemory::current().check(tag != 0, "the kernel's own space has no such table");
    test::ModelTlb::own().activate(&root, tag, keep);
}
inline void activate_kernel() {
    test::ModelTlb::own().activate(nullptr, 0, true);
}
inline std::size_t model_page_at(std::uint64_t address) {
    return (address - window_base) / (4 * KiB);
}
inline bool forget_page(unsigned tag, bool is_active, std::uint64_t address) {
    return test::ModelTlb::own().forget_page(tag, is_active, model_page_at(address));
}

inline std::optional<std::uint64_t> read(std::uint64_t address) {
    test::ModelPage const* const page = test::ModelTlb::own().translate(model_page_at(address), false);
    if (page == nullptr) return std::nullopt;
    return page->word.read();
}
inline bool write(std::uint64_t address, std::uint64_t value) {
    test::ModelPage* const page = test::ModelTlb::own().translate(model_page_at(address), true);
    if (page != nullptr) page->word = value;
    return page != nullptr;
}

// Cores are interrupted by what a use gives.
using Handler = void (*)();
inline bool set_handler(Handler /*handler*/) {
    return false;
}
inline void interrupt(CoreId /*core*/) {}

// Handlers run where a use says so.
class HandlerOff {
  public:
    HandlerOff() {}
    ~HandlerOff() {}
    HandlerOff(HandlerOff const&) = delete;
    HandlerOff& operator=(HandlerOff const&) = delete;
};

} // namespace mxk::arch::translations
