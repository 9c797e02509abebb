#include "arch/x86_64/memory/paging.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/memory/memory_source.hpp"
#include "arch/x86_64/memory/page_entry.hpp"
#include "arch/x86_64/start/boot_stacks.hpp"
#include "arch/x86_64/start/boot_tables.hpp"
#include "arch/x86_64/start/image.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/spin_lock.hpp"

extern "C" {
// Set here, loaded by every other core as its first act in the higher half (start64.asm).
std::uint64_t kernel_page_table = 0;
}

namespace mxk::arch {
namespace {

using namespace page_entry;

constexpr unsigned entries_per_table = 512;
constexpr unsigned top_level = 4;

using Table = std::array<std::uint64_t, entries_per_table>;

constinit SpinLock tables_lock{lock_bands::memory.rank(8)};
constinit bool on_boot_tables = true;
constinit RangeSet* early_frames = nullptr;
constinit MemorySource memory_source{};
constinit RangeSet const* known_memory = nullptr;
constinit std::array<std::uint64_t*, max_roots> roots{}; // behind tables_lock

constexpr std::uint64_t bytes_mapped_by_entry(unsigned level) {
    return page_bytes << (9 * (level - 1));
}
constexpr std::size_t slot(std::uint64_t address, unsigned level) {
    return address / bytes_mapped_by_entry(level) % entries_per_table;
}

Table& table_at(std::uint64_t entry) {
    return *reinterpret_cast<Table*>(to_virtual(static_cast<PhysicalAddress>(entry & address_mask)));
}

// Its address as an entry has it; nothing if there is no frame for it.
std::optional<std::uint64_t> new_table() {
    std::byte* frame = nullptr;
    if (memory_source.take != nullptr) {
        if (auto const taken = memory_source.take(page_bytes, page_bytes, node_id(0))) frame = taken->address;
    } else if (auto const taken = early_frames->take(page_bytes, page_bytes, PhysicalAddress{boot_mapped_bytes})) {
        if (on_boot_tables) boot_tables::map({*taken, page_bytes}, boot_tables::Use::Write);
        frame = to_virtual(*taken);
    }
    if (frame == nullptr) return std::nullopt;
    std::fill_n(frame, page_bytes, std::byte{0});
    return raw(to_physical(frame));
}

std::uint64_t flags_of(Access access) {
    switch (access) {
    case Access::ReadOnly: return present | global | never_executed();
    case Access::ReadWrite: return present | global | writable | never_executed();
    case Access::ReadExecute: return present | global;
    case Access::Device: return present | global | writable | cache_disable | write_through | never_executed();
    }
    return 0;
}

bool level_has_large_pages(unsigned level) {
    return level == 2 || (level == 3 && features().gigabyte_pages);
}

void copy_to_roots(std::size_t top_slot, std::uint64_t entry) {
    for (std::uint64_t* const root : roots)
        if (root != nullptr) root[top_slot] = entry;
}

// One entry at the highest level at which everything is aligned and big enough. Returns how much it mapped, or how much
// was mapped there already; nothing if a page table is missing.
std::optional<std::uint64_t> map_one(std::uint64_t address, std::uint64_t physical, std::uint64_t bytes,
                                     std::uint64_t flags, std::uint64_t max_page_bytes) {
    std::uint64_t entry = kernel_page_table;
    for (unsigned level = top_level;; --level) {
        std::uint64_t& place = table_at(entry)[slot(address, level)];
        std::uint64_t const size = bytes_mapped_by_entry(level);
        bool const is_leaf = level == 1 || (place & large) != 0;
        if ((place & present) != 0 && is_leaf) return std::min(bytes, size - address % size);
        bool const fits = is_aligned(address | physical, size) && bytes >= size && size <= max_page_bytes;
        if ((place & present) == 0 && (level == 1 || (level_has_large_pages(level) && fits))) {
            place = physical | flags | (level > 1 ? large : 0);
            return std::min(bytes, size);
        }
        if ((place & present) == 0) {
            auto const table = new_table();
            if (!table) return std::nullopt;
            place = *table | present | writable;
            if (level == top_level) copy_to_roots(slot(address, level), place);
        }
        entry = place;
    }
}

MemoryRange whole_pages(MemoryRange range) {
    auto const first = static_cast<PhysicalAddress>(align_down(raw(range.start), page_bytes));
    return {first, align_up(raw(range.end()), page_bytes) - raw(first)};
}

// While the kernel starts, and memory is free.
void map_or_panic(std::uint64_t address, PhysicalAddress physical, std::uint64_t bytes, Access access) {
    if (auto const mapped = map(address, physical, bytes, access); !mapped) panic("{}", mapped.error().message());
}

// The page at the address, if there is one. Returns how many bytes from there on are not mapped now.
std::uint64_t unmap_one(std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t entry = kernel_page_table;
    for (unsigned level = top_level;; --level) {
        std::uint64_t& place = table_at(entry)[slot(address, level)];
        std::uint64_t const size = bytes_mapped_by_entry(level);
        if ((place & present) == 0 || level == 1 || (place & large) != 0) {
            place = 0;
            return std::min(bytes, size - address % size);
        }
        entry = place;
    }
}

MemoryRange image_range() {
    return {static_cast<PhysicalAddress>(reinterpret_cast<std::uint64_t>(image_start)),
            static_cast<std::uint64_t>(image_end - image_start)};
}

PhysicalMap physical_map() {
    return {features().address_bits, image_range(), known_memory};
}

void map_image_part(char const* from, char const* to, Access access) {
    auto const start = reinterpret_cast<std::uint64_t>(from);
    map_or_panic(start, static_cast<PhysicalAddress>(start - kernel_base), reinterpret_cast<std::uint64_t>(to) - start,
                 access);
}

void map_image() {
    map_image_part(text_start, text_end, Access::ReadExecute);
    map_image_part(text_end, rodata_end, Access::ReadOnly);
    // All but the pages under the boot core's stacks.
    char const* from = rodata_end;
    for (stacks::Stack const& stack : boot_stacks()) {
        auto const* const bottom = reinterpret_cast<char const*>(stack.bottom); // NOLINT(performance-no-int-to-ptr)
        map_image_part(from, bottom - page_bytes, Access::ReadWrite);
        from = bottom;
    }
    map_image_part(from, data_end, Access::ReadWrite);
}

std::uint64_t count_writable_and_executable(Table const& table, unsigned level) {
    std::uint64_t sum = 0;
    for (std::uint64_t const entry : table) {
        if ((entry & present) == 0) continue;
        if (level > 1 && (entry & large) == 0) {
            sum += count_writable_and_executable(table_at(entry), level - 1);
        } else if ((entry & writable) != 0 && (entry & no_execute) == 0) {
            sum += bytes_mapped_by_entry(level);
        }
    }
    return sum;
}

} // namespace

void build_address_space(RangeSet const& ram, RangeSet& free) {
    early_frames = &free;
    auto const top = new_table();
    expect(top.has_value(), "there is memory below 4 GiB for the first page table");
    kernel_page_table = *top;
    map_image();
    // The image is not in the direct map: a second, writable way to the code would undo W^X.
    for (MemoryRange const& range : ram.ranges()) {
        RangeSet parts;
        parts.add(range);
        parts.remove(image_range());
        for (MemoryRange const& part : parts.ranges())
            map_or_panic(direct_map_base + raw(part.start), part.start, part.bytes, Access::ReadWrite);
    }
    boot_tables::forget_direct_map();
    on_boot_tables = false;
    write_cr3(kernel_page_table);
}

Result<void> map(std::uint64_t address, PhysicalAddress physical, std::uint64_t bytes, Access access,
                 std::uint64_t max_page_bytes) {
    LockGuard const guard(tables_lock);
    std::uint64_t const flags = flags_of(access);
    for (std::uint64_t done = 0; done < bytes;) {
        auto const mapped = map_one(address + done, raw(physical) + done, bytes - done, flags, max_page_bytes);
        if (!mapped)
            return Error::of("out of memory: no frame for a page table ({} of {} bytes are mapped)", done, bytes);
        done += *mapped;
    }
    return {};
}

void unmap(std::uint64_t address, std::uint64_t bytes) {
    LockGuard const guard(tables_lock);
    for (std::uint64_t done = 0; done < bytes;) done += unmap_one(address + done, bytes - done);
}

void add_root(std::uint64_t* top) {
    LockGuard const guard(tables_lock);
    Table const& own = table_at(kernel_page_table);
    std::copy(own.begin() + entries_per_table / 2, own.end(), top + entries_per_table / 2);
    auto* const free = std::find(roots.begin(), roots.end(), nullptr);
    expect(free != roots.end(), "no more address spaces than tags");
    *free = top;
}

void remove_root(std::uint64_t* top) {
    LockGuard const guard(tables_lock);
    *std::find(roots.begin(), roots.end(), top) = nullptr;
}

void set_memory_map(RangeSet const& memory) {
    known_memory = &memory;
}

Objection objection_to_device(MemoryRange range, std::uint64_t alignment) {
    Objection why = objection_to(physical_map(), PlaceUse::Device, range, alignment);
    if (!why.view().empty()) return why;
    MemoryRange const pages = whole_pages(range);
    for (std::uint64_t at = raw(pages.start); at < raw(pages.end());) {
        auto const mapped = translate(direct_map_base + at);
        if (mapped && mapped->cached) {
            format(why, "where tables or files are read");
            break;
        }
        at += mapped ? mapped->page_bytes - at % mapped->page_bytes : page_bytes;
    }
    return why;
}

std::byte* map_device(std::string_view field, MemoryRange range, std::uint64_t alignment) {
    if (auto const why = objection_to_device(range, alignment); !why.view().empty()) {
        log::warn("{}: expected a device, got {}, {}: it is not used", field, range.start, why.view());
        return nullptr;
    }
    MemoryRange const pages = whole_pages(range);
    map_or_panic(direct_map_base + raw(pages.start), pages.start, pages.bytes, Access::Device);
    return to_virtual(range.start);
}

MemorySource set_memory_source(MemorySource const& source) {
    return std::exchange(memory_source, source);
}

std::optional<SourceBlock> take_memory(std::size_t bytes, std::size_t alignment, NodeId node) {
    return memory_source.take != nullptr ? memory_source.take(bytes, alignment, node) : std::nullopt;
}

void give_memory(SourceBlock const& block) {
    memory_source.give(block);
}

std::optional<Translation> translate(std::uint64_t address) {
    std::uint64_t entry = kernel_page_table;
    for (unsigned level = top_level; level > 0; --level) {
        entry = table_at(entry)[slot(address, level)];
        if ((entry & present) == 0) return std::nullopt;
        if (level > 1 && (entry & large) == 0) continue;
        std::uint64_t const size = bytes_mapped_by_entry(level);
        std::uint64_t const frame = align_down(entry & address_mask, size);
        return Translation{static_cast<PhysicalAddress>(frame + address % size), size, (entry & writable) != 0,
                           (entry & no_execute) == 0, (entry & cache_disable) == 0};
    }
    return std::nullopt;
}

std::uint64_t writable_and_executable_bytes(std::optional<PhysicalAddress> top) {
    return count_writable_and_executable(table_at(top ? raw(*top) : kernel_page_table), top_level);
}

std::span<std::byte const> DirectMapReader::view(PhysicalAddress address, std::size_t bytes) {
    if (!objection_to(physical_map(), PlaceUse::Read, {address, bytes}).view().empty()) return {};
    MemoryRange const pages = whole_pages({address, bytes});
    if (on_boot_tables) {
        if (!boot_tables::map(pages, boot_tables::Use::Read)) return {};
    } else if (!map(direct_map_base + raw(pages.start), pages.start, pages.bytes, Access::ReadOnly)) {
        return {};
    }
    return {to_virtual(address), bytes};
}

} // namespace mxk::arch
