#include "arch/linux/emulated_tlb.hpp"

#include <memory>

namespace mxk::arch {
namespace {

using namespace translations;

constexpr unsigned top_level = 4;

constexpr unsigned address_bits(unsigned level) {
    return 12 + 9 * (level - 1);
}

} // namespace

Abilities& EmulatedTlb::abilities() {
    static constinit Abilities abilities{.tags = true, .tagged_pages = true, .gigabyte_pages = true};
    return abilities;
}

EmulatedTlb& EmulatedTlb::own() {
    // Not the TLB itself: a shared object over libmxk.a gets some hundred bytes of static thread-local storage.
    static thread_local std::unique_ptr<EmulatedTlb> const tlb = std::make_unique<EmulatedTlb>();
    return *tlb;
}

EmulatedTlb::Kept& EmulatedTlb::place(std::uint64_t page, unsigned level, unsigned tag) {
    return kept_[(page + level * 131 + tag * 67) % size];
}

EmulatedTlb::Kept* EmulatedTlb::find(std::uint64_t address, unsigned tag) {
    for (unsigned level = 1; level < top_level; ++level) {
        std::uint64_t const page = address >> address_bits(level);
        Kept& kept = place(page, level, tag);
        if (kept.level == level && kept.page == page && kept.tag == tag) return &kept;
    }
    return nullptr;
}

EmulatedTlb::Kept* EmulatedTlb::walk(std::uint64_t address) {
    Table* table = root_;
    for (unsigned level = top_level; level > 0; --level) {
        std::uint64_t const entry =
            table->entries[address >> address_bits(level) & (entries_per_table - 1)].load(std::memory_order_acquire);
        if ((entry & entry_present) == 0) return nullptr;
        if (level > 1 && (entry & entry_large) == 0) {
            table = static_cast<Table*>(memory_at(static_cast<PhysicalAddress>(entry & entry_address)));
            continue;
        }
        std::uint64_t const page = address >> address_bits(level);
        Kept& kept = place(page, level, tag_);
        kept = {page, entry, level, tag_};
        return &kept;
    }
    return nullptr;
}

void EmulatedTlb::activate(Table* root, unsigned tag, bool keep) {
    root_ = root;
    tag_ = tag;
    if (is_faulty_) return;
    for (Kept& kept : kept_)
        if (!abilities().tags || (!keep && kept.tag == tag)) kept.level = 0;
}

bool EmulatedTlb::forget_page(unsigned tag, bool is_active, std::uint64_t address) {
    if (!is_active && !abilities().tagged_pages) return false;
    if (is_faulty_) return true;
    if (Kept* const kept = find(address, tag)) kept->level = 0;
    return true;
}

std::uint64_t EmulatedTlb::translate(std::uint64_t address, bool is_write, unsigned& level) {
    if (root_ == nullptr) return 0;
    Kept* kept = find(address, tag_);
    if (kept == nullptr) kept = walk(address);
    if (kept == nullptr) return 0;
    if (is_write && (kept->entry & entry_writable) == 0) {
        kept->level = 0;
        return 0;
    }
    level = kept->level;
    return kept->entry;
}

namespace translations {
namespace {

// Where the access goes; null: a page fault.
std::atomic<std::uint64_t>* word_at(std::uint64_t address, bool is_write) {
    unsigned level = 0;
    std::uint64_t const entry = EmulatedTlb::own().translate(address, is_write, level);
    if (entry == 0) return nullptr;
    std::uint64_t const offset = address & ((std::uint64_t{1} << address_bits(level)) - 1);
    std::uint64_t const frame = entry & entry_address & ~((std::uint64_t{1} << address_bits(level)) - 1);
    return static_cast<std::atomic<std::uint64_t>*>(memory_at(static_cast<PhysicalAddress>(frame + offset)));
}

} // namespace

std::uint64_t page_entry(PhysicalAddress frame, unsigned level) {
    constexpr std::uint64_t no_execute = std::uint64_t{1} << 63;
    return raw(frame) | entry_present | no_execute | (level > 1 ? entry_large : 0);
}

PhysicalAddress address_of(void const* memory) {
    return static_cast<PhysicalAddress>(reinterpret_cast<std::uintptr_t>(memory));
}
void* memory_at(PhysicalAddress address) {
    return reinterpret_cast<void*>(raw(address)); // NOLINT(performance-no-int-to-ptr)
}

Abilities abilities() {
    return EmulatedTlb::abilities();
}

// The program's own addresses are the system's, and stand in no table here.
void begin_root(Table&) {}
void end_root(Table&) {}

void activate(Table& root, unsigned tag, bool keep) {
    EmulatedTlb::own().activate(&root, tag, keep);
}
void activate_kernel() {
    EmulatedTlb::own().activate(nullptr, 0, true);
}

bool forget_page(unsigned tag, bool is_active, std::uint64_t address) {
    return EmulatedTlb::own().forget_page(tag, is_active, address);
}

std::optional<std::uint64_t> read(std::uint64_t address) {
    auto const* const word = word_at(address, false);
    if (word == nullptr) return std::nullopt;
    return word->load(std::memory_order_relaxed);
}
bool write(std::uint64_t address, std::uint64_t value) {
    auto* const word = word_at(address, true);
    if (word != nullptr) word->store(value, std::memory_order_relaxed);
    return word != nullptr;
}

bool set_handler(Handler) {
    return false;
}
void interrupt(CoreId) {}

HandlerOff::HandlerOff()
    : was_on_(false) {}
HandlerOff::~HandlerOff() = default;

} // namespace translations
} // namespace mxk::arch
