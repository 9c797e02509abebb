// The arithmetic alone, which tests on the host do, too; mtrr_registers.cpp reads them.
#include "arch/x86_64/cpu/mtrr.hpp"

#include <algorithm>

namespace mxk::arch::mtrr {
namespace {

constexpr std::uint64_t enabled = 1 << 11; // of the default type, and of a mask: valid
constexpr std::uint64_t type_mask = 0xff;
constexpr std::uint64_t write_back = 6;
constexpr std::uint64_t four_gib = std::uint64_t{4} << 30;

bool is_write_back(Registers const& registers, std::uint64_t address) {
    if ((registers.default_type & enabled) == 0) return false; // all is uncached
    bool is_in_any = false;
    for (std::size_t i = 0; i < registers.count; ++i) {
        auto const [base, mask] = registers.ranges[i];
        std::uint64_t const bits = mask & registers.address_mask;
        if ((mask & enabled) == 0 || (address & bits) != (base & bits)) continue;
        if ((base & type_mask) != write_back) return false;
        is_in_any = true;
    }
    if (is_in_any) return true;
    if (address >= four_gib && address < registers.write_back_end) return true;
    return (registers.default_type & type_mask) == write_back;
}

// The first address after this one where the type may be another: a border of a range, of which each is as large as the
// lowest bit of its mask (a mask with gaps has several of that size).
std::uint64_t next_border(Registers const& registers, std::uint64_t address, std::uint64_t end) {
    std::uint64_t border = end;
    auto const consider = [&](std::uint64_t place) {
        if (place > address && place < border) border = place;
    };
    for (std::size_t i = 0; i < registers.count; ++i) {
        std::uint64_t const bits = registers.ranges[i].mask & registers.address_mask;
        if ((registers.ranges[i].mask & enabled) == 0 || bits == 0) continue;
        std::uint64_t const size = bits & -bits;
        bool const has_gaps = ((bits + size) & registers.address_mask) != 0;
        std::uint64_t const start = registers.ranges[i].base & bits;
        if (has_gaps) consider(address / size * size + size);
        consider(start);
        consider(start + size);
    }
    consider(four_gib);
    consider(registers.write_back_end);
    return border;
}

} // namespace

std::uint64_t bytes_not_write_back(Registers const& registers, std::span<MemoryRange const> memory) {
    constexpr std::uint64_t first_mib = 1 << 20; // has registers of its own, and is not used
    constexpr int max_steps = 1'000'000;         // firmware may set masks with a gap at every page
    if (!registers.exist) return 0;
    std::uint64_t sum = 0;
    int steps = 0;
    for (MemoryRange const& range : memory) {
        std::uint64_t const end = raw(range.end());
        for (std::uint64_t at = std::max(raw(range.start), first_mib); at < end && steps < max_steps; ++steps) {
            std::uint64_t const next = next_border(registers, at, end);
            if (!is_write_back(registers, at)) sum += next - at;
            at = next;
        }
    }
    return sum;
}

} // namespace mxk::arch::mtrr
