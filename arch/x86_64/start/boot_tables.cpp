#include "arch/x86_64/start/boot_tables.hpp"

#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/page_entry.hpp"

extern "C" {
extern std::uint64_t boot_low_table[], boot_direct_directories[];
}

namespace mxk::arch::boot_tables {
namespace {

std::uint64_t& entry(std::uint64_t* table, std::uint64_t at) {
    return *reinterpret_cast<std::uint64_t*>(kernel_base + reinterpret_cast<std::uint64_t>(table + at)); // NOLINT
}

// Where a processor may still have an entry as it was.
void invalidate(std::byte const* address) {
    asm volatile("invlpg (%0)" ::"r"(address) : "memory");
}

} // namespace

bool map(MemoryRange range, Use use) {
    if (range.bytes > boot_mapped_bytes || raw(range.start) > boot_mapped_bytes - range.bytes) return false;
    using namespace page_entry;
    std::uint64_t const flags = present | large | (use == Use::Write ? writable : 0) | never_executed();
    for (std::uint64_t at = align_down(raw(range.start), 2 * MiB); at < raw(range.end()); at += 2 * MiB) {
        entry(boot_direct_directories, at / (2 * MiB)) |= at | flags; // what can be written already stays so
        invalidate(to_virtual(static_cast<PhysicalAddress>(at)));
    }
    return true;
}

void map_trampoline(MemoryRange page) {
    entry(boot_low_table, raw(page.start) / page_bytes) = raw(page.start) | page_entry::present;
}

void forget_direct_map() {
    constexpr std::uint64_t slot = direct_map_base >> 39 & 511;
    entry(boot_page_table, slot) = 0;
}

} // namespace mxk::arch::boot_tables
