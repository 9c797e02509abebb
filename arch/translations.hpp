// What the processor does with page tables of other address spaces than the kernel's own, and with the translations
// that it keeps of them (its TLB: SDM vol. 3A section 4.10). Page tables have the processor's format in both builds. On
// Linux a core has an emulated TLB (arch/linux/emulated_tlb.hpp), which only the accesses below go through; it forgets
// nothing but by the functions below, which is the worst that a processor may do.
//
// Who uses page tables, and when a translation has to be forgotten, is decided in kernel/memory/mapping.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace mxk::arch::translations {

// The addresses that such spaces have for themselves. Nothing is mapped there in the kernel's own.
inline constexpr std::uint64_t window_base = std::uint64_t{1} << 46;
inline constexpr std::uint64_t window_bytes = 512 * GiB;

// An entry of a page table, of any level (SDM vol. 3A table 4-14 and following). One that is not present has 63 bits
// for whatever its owner likes.
inline constexpr std::uint64_t entry_present = 1 << 0;
inline constexpr std::uint64_t entry_writable = 1 << 1;
inline constexpr std::uint64_t entry_large = 1 << 7; // a page, in levels 2 and 3
inline constexpr std::uint64_t entry_address = 0x000f'ffff'ffff'f000;

// A page that is only read, and never executed; and a table of the level below.
std::uint64_t page_entry(PhysicalAddress frame, unsigned level);
inline std::uint64_t table_entry(PhysicalAddress table) {
    return raw(table) | entry_present | entry_writable;
}

inline constexpr std::size_t entries_per_table = 512;
struct alignas(4 * KiB) Table {
    std::atomic<std::uint64_t> entries[entries_per_table]{};
};

// Memory that the kernel has given out.
PhysicalAddress address_of(void const* memory);
void* memory_at(PhysicalAddress address);

struct Abilities {
    bool tags;           // PCIDs: translations of several spaces can be kept at the same time
    bool tagged_pages;   // INVPCID: one page of a space that is not the active one can be forgotten
    bool gigabyte_pages; // SDM vol. 2A, CPUID
};
Abilities abilities();

// Tag 0 is the kernel's own.
inline constexpr unsigned tags = 64;

// An empty top table becomes a root: it has all that the kernel has, now and later; until it is none any more. Any
// core; blocks for a lock.
void begin_root(Table& top);
void end_root(Table& top);

// Below: of the calling core, which does not change meanwhile (a task, a thread that holds preemption, an interrupt
// handler).

// From now on this root's space is the active one. `keep`: translations that were kept under this tag are valid;
// otherwise they are forgotten. Without tags, all are forgotten in any case.
void activate(Table& root, unsigned tag, bool keep);
// The kernel's own.
void activate_kernel();

// Forgets what is kept of the page at the address. False: the processor cannot, because that space is not active.
bool forget_page(unsigned tag, bool is_active, std::uint64_t address);

// An access to the window, in the active space. Nothing, or false: a page fault. 8 bytes, aligned.
std::optional<std::uint64_t> read(std::uint64_t address);
bool write(std::uint64_t address, std::uint64_t value);

// What a core runs at once when it is interrupted: a function without SSE. Once, before anything below "of the calling
// core" is called. False: cores cannot be interrupted (Linux).
using Handler = void (*)();
bool set_handler(Handler handler);
void interrupt(CoreId core);

// While it lives, the handler does not run on the calling core.
class HandlerOff {
  public:
    HandlerOff();
    ~HandlerOff(); // NOLINT(performance-trivially-destructible): on one platform only
    HandlerOff(HandlerOff const&) = delete;
    HandlerOff& operator=(HandlerOff const&) = delete;

  private:
    [[maybe_unused]] bool was_on_;
};

} // namespace mxk::arch::translations
