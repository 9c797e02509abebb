#include "arch/x86_64/cpu/cpuid_levels.hpp"

#include <bit>
#include <optional>

namespace mxk::arch {
namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned low, unsigned high) {
    return static_cast<std::uint32_t>(std::uint64_t{word} >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
}

// How many bits tell `count` ids apart.
unsigned bits_for(std::uint32_t count) {
    return count <= 1 ? 0 : static_cast<unsigned>(std::bit_width(count - 1));
}

// The lowest id that shares all but the `low_bits` lowest bits with `id`. Domains of different sizes, as hybrid
// processors have them, still get different numbers.
std::uint32_t domain_of(std::uint32_t id, unsigned low_bits) {
    return low_bits >= 32 ? 0 : id >> low_bits << low_bits;
}

// How many low bits of the APIC id number the threads of a core, and those of a package.
struct IdBits {
    std::uint32_t apic_id;
    unsigned core;
    unsigned package;
};

// Leaf 1Fh, or 0Bh: one subleaf per level, the largest last.
std::optional<IdBits> from_extended_topology(AskCpuid ask, std::uint32_t leaf) {
    constexpr std::uint32_t max_levels = 8; // more than any processor has: an endless list must end, too
    constexpr std::uint32_t threads = 1;    // the level of one physical core
    std::optional<IdBits> result;
    for (std::uint32_t i = 0; i < max_levels; ++i) {
        CpuidResult const level = ask(leaf, i);
        std::uint32_t const kind = bits(level.ecx, 8, 15);
        if (kind == 0 || bits(level.ebx, 0, 15) == 0) break;
        if (!result) result = IdBits{level.edx, 0, 0};
        unsigned const shift = bits(level.eax, 0, 4);
        if (kind == threads) result->core = shift;
        result->package = shift;
    }
    return result;
}

struct Highest {
    std::uint32_t basic;
    std::uint32_t extended;
};

// Processors without those leaves.
IdBits from_old_leaves(AskCpuid ask, Highest highest) {
    CpuidResult const basic = ask(1, 0);
    IdBits result{bits(basic.ebx, 24, 31), 0, 0};
    bool const several = bits(basic.edx, 28, 28) != 0;
    if (!several) return result;
    std::uint32_t const in_package = bits(basic.ebx, 16, 23);
    result.package = bits_for(in_package);
    bool const knows_threads = highest.extended >= 0x8000'001e && bits(ask(0x8000'0001, 0).ecx, 22, 22) != 0;
    if (highest.extended >= 0x8000'0008) {
        CpuidResult const size = ask(0x8000'0008, 0); // zero on Intel's
        if (bits(size.ecx, 12, 15) != 0)
            result.package = bits(size.ecx, 12, 15);
        else if (bits(size.ecx, 0, 7) != 0)
            result.package = bits_for(bits(size.ecx, 0, 7) + 1);
    }
    if (knows_threads) {
        result.core = bits_for(bits(ask(0x8000'001e, 0).ebx, 8, 15) + 1);
    } else if (highest.basic >= 4 && bits(ask(4, 0).eax, 0, 4) != 0) {
        unsigned const cores = bits_for(bits(ask(4, 0).eax, 26, 31) + 1);
        result.core = result.package > cores ? result.package - cores : 0;
    }
    return result;
}

IdBits find_id_bits(AskCpuid ask, Highest highest) {
    for (std::uint32_t const leaf : {0x1fU, 0xbU}) {
        if (highest.basic < leaf) continue;
        if (auto const found = from_extended_topology(ask, leaf)) return *found;
    }
    return from_old_leaves(ask, highest);
}

// Leaf 4 and AMD's 8000'001Dh have the same form: one subleaf per cache.
void add_caches(AskCpuid ask, std::uint32_t leaf, std::uint32_t apic_id, CoreLevels& levels) {
    constexpr std::uint32_t max_caches = 16;
    constexpr std::uint32_t instructions = 2;
    for (std::uint32_t i = 0; i < max_caches; ++i) {
        CpuidResult const cache = ask(leaf, i);
        std::uint32_t const kind = bits(cache.eax, 0, 4);
        std::uint32_t const level = bits(cache.eax, 5, 7);
        if (kind == 0) return;
        if (kind == instructions || level == 0 || level > CoreLevels::cache_levels) continue;
        std::uint64_t const line = bits(cache.ebx, 0, 11) + 1;
        std::uint64_t const partitions = bits(cache.ebx, 12, 21) + 1;
        std::uint64_t const ways = bits(cache.ebx, 22, 31) + 1;
        levels.caches[level - 1] = {domain_of(apic_id, bits_for(bits(cache.eax, 14, 25) + 1)),
                                    line * partitions * ways * (std::uint64_t{cache.ecx} + 1)};
    }
}

} // namespace

CoreLevels read_levels(AskCpuid ask) {
    Highest const highest{ask(0, 0).eax, ask(0x8000'0000, 0).eax};
    CoreLevels levels;
    if (highest.basic < 1) return levels;
    IdBits const id = find_id_bits(ask, highest);
    levels.physical_core = domain_of(id.apic_id, id.core);
    levels.package = domain_of(id.apic_id, id.package);
    bool const has_amd_leaf =
        highest.extended >= 0x8000'001d && highest.extended < 0x8001'0000 && bits(ask(0x8000'0001, 0).ecx, 22, 22) != 0;
    if (has_amd_leaf)
        add_caches(ask, 0x8000'001d, id.apic_id, levels);
    else if (highest.basic >= 4)
        add_caches(ask, 4, id.apic_id, levels);
    return levels;
}

CoreLevels levels_of_this_core() {
    return read_levels([](std::uint32_t leaf, std::uint32_t subleaf) { return cpuid(leaf, subleaf); });
}

} // namespace mxk::arch
