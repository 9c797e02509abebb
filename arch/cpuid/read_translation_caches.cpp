#include "arch/cpuid/read_translation_caches.hpp"

#include <algorithm>
#include <array>

#include "base/bits.hpp"

namespace mxk::arch {
namespace {

using Kind = TranslationCache::Kind;

constexpr std::uint32_t small = TranslationCache::four_kib;
constexpr std::uint32_t two = TranslationCache::two_mib;
constexpr std::uint32_t large = TranslationCache::two_mib | TranslationCache::four_mib;
constexpr std::uint32_t four = TranslationCache::four_mib;
constexpr std::uint32_t huge = TranslationCache::one_gib;
constexpr std::uint32_t full = TranslationCache::fully_associative;

constexpr std::uint32_t field(std::uint32_t word, unsigned low, unsigned bits) {
    return word >> low & ((1U << bits) - 1);
}

// Leaf 18h: a subleaf for each; the highest one in EAX of the first.
void add_listed(AskCpuid ask, TranslationCaches& caches) {
    constexpr std::uint32_t leaf = 0x18;
    std::uint32_t const last = std::min<std::uint32_t>(ask(leaf, 0).eax, TranslationCaches::capacity);
    for (std::uint32_t i = 0; i <= last; ++i) {
        CpuidResult const entry = ask(leaf, i);
        std::uint32_t const type = field(entry.edx, 0, 5);
        constexpr Kind kinds[] = {Kind::Data, Kind::Instruction, Kind::Unified, Kind::Load, Kind::Store};
        if (type == 0 || type > std::size(kinds)) continue;
        std::uint32_t const ways = field(entry.ebx, 16, 16);
        caches.add({.level = field(entry.edx, 5, 3),
                    .kind = kinds[type - 1],
                    .pages = field(entry.ebx, 0, 4),
                    .entries = ways * entry.ecx,
                    .ways = has_bit(entry.edx, 8) ? full : ways});
    }
}

// A byte of leaf 2 stands for one TLB, or two.
struct Descriptor {
    std::uint8_t value;
    TranslationCache cache;
};
constexpr auto descriptors = std::to_array<Descriptor>({
    {0x01, {1, Kind::Instruction, small, 32, 4}},
    {0x02, {1, Kind::Instruction, four, 2, full}},
    {0x03, {1, Kind::Data, small, 64, 4}},
    {0x04, {1, Kind::Data, four, 8, 4}},
    {0x05, {1, Kind::Data, four, 32, 4}},
    {0x0b, {1, Kind::Instruction, four, 4, 4}},
    {0x4f, {1, Kind::Instruction, small, 32, TranslationCache::unknown_ways}},
    {0x50, {1, Kind::Instruction, small | large, 64, TranslationCache::unknown_ways}},
    {0x51, {1, Kind::Instruction, small | large, 128, TranslationCache::unknown_ways}},
    {0x52, {1, Kind::Instruction, small | large, 256, TranslationCache::unknown_ways}},
    {0x55, {1, Kind::Instruction, large, 7, full}},
    {0x56, {1, Kind::Data, four, 16, 4}},
    {0x57, {1, Kind::Data, small, 16, 4}},
    {0x59, {1, Kind::Data, small, 16, full}},
    {0x5a, {1, Kind::Data, large, 32, 4}},
    {0x5b, {1, Kind::Data, small | four, 64, TranslationCache::unknown_ways}},
    {0x5c, {1, Kind::Data, small | four, 128, TranslationCache::unknown_ways}},
    {0x5d, {1, Kind::Data, small | four, 256, TranslationCache::unknown_ways}},
    {0x61, {1, Kind::Instruction, small, 48, full}},
    {0x63, {1, Kind::Data, large, 32, 4}},
    {0x63, {1, Kind::Data, huge, 4, 4}},
    {0x64, {1, Kind::Data, small, 512, 4}},
    {0x6a, {1, Kind::Data, small, 64, 8}},
    {0x6b, {1, Kind::Data, small, 256, 8}},
    {0x6c, {1, Kind::Data, large, 128, 8}},
    {0x6d, {1, Kind::Data, huge, 16, full}},
    {0x76, {1, Kind::Instruction, large, 8, full}},
    {0xa0, {1, Kind::Data, small, 32, full}},
    {0xb0, {1, Kind::Instruction, small, 128, 4}},
    {0xb1, {1, Kind::Instruction, two, 8, 4}},
    {0xb2, {1, Kind::Instruction, small, 64, 4}},
    {0xb3, {1, Kind::Data, small, 128, 4}},
    {0xb4, {1, Kind::Data, small, 256, 4}},
    {0xb5, {1, Kind::Instruction, small, 64, 8}},
    {0xb6, {1, Kind::Instruction, small, 128, 8}},
    {0xba, {1, Kind::Data, small, 64, 4}},
    {0xc0, {1, Kind::Data, small | four, 8, 4}},
    {0xc1, {2, Kind::Unified, small | two, 1024, 8}},
    {0xc2, {1, Kind::Data, small | two, 16, 4}},
    {0xc3, {2, Kind::Unified, small | two, 1536, 6}},
    {0xc3, {2, Kind::Unified, huge, 16, 4}},
    {0xc4, {1, Kind::Data, large, 32, 4}},
    {0xca, {2, Kind::Unified, small, 512, 4}},
});

// Leaf 2: sixteen bytes, the lowest of EAX apart; a register whose highest bit is set has none.
void add_described(AskCpuid ask, TranslationCaches& caches) {
    CpuidResult const answer = ask(2, 0);
    std::uint32_t const words[] = {answer.eax & ~0xffU, answer.ebx, answer.ecx, answer.edx};
    for (std::uint32_t const word : words) {
        if (has_bit(word, 31)) continue;
        for (unsigned shift = 0; shift < 32; shift += 8) {
            for (Descriptor const& known : descriptors)
                if (known.value == field(word, shift, 8)) caches.add(known.cache);
        }
    }
}

// Of AMD's first level, eight bits.
constexpr std::uint32_t first_level_ways(std::uint32_t code) {
    return code == 0xff ? full : code;
}

// Of the others, four bits.
constexpr std::uint32_t ways_of_code(std::uint32_t code) {
    constexpr std::uint32_t unknown = TranslationCache::unknown_ways;
    constexpr std::uint32_t table[] = {unknown, 1, 2, 3, 4, 6, 8, unknown, 16, unknown, 32, 48, 64, 96, 128, full};
    return table[code];
}

void add_first_level(std::uint32_t word, std::uint32_t pages, TranslationCaches& caches) {
    if (field(word, 16, 8) != 0)
        caches.add({1, Kind::Data, pages, field(word, 16, 8), first_level_ways(field(word, 24, 8))});
    if (field(word, 0, 8) != 0)
        caches.add({1, Kind::Instruction, pages, field(word, 0, 8), first_level_ways(field(word, 8, 8))});
}

// The data TLB in the upper half; of the second level nothing there: the other one is for both.
void add_wide(std::uint32_t word, std::uint32_t level, std::uint32_t pages, TranslationCaches& caches) {
    bool const is_unified = level > 1 && word >> 16 == 0;
    if (field(word, 28, 4) != 0)
        caches.add({level, Kind::Data, pages, field(word, 16, 12), ways_of_code(field(word, 28, 4))});
    if (field(word, 12, 4) != 0)
        caches.add({level, is_unified ? Kind::Unified : Kind::Instruction, pages, field(word, 0, 12),
                    ways_of_code(field(word, 12, 4))});
}

void add_extended(AskCpuid ask, TranslationCaches& caches) {
    std::uint32_t const highest = ask(0x8000'0000, 0).eax;
    if (highest >= 0x8000'0005) {
        add_first_level(ask(0x8000'0005, 0).ebx, small, caches);
        add_first_level(ask(0x8000'0005, 0).eax, large, caches);
    }
    if (highest >= 0x8000'0019) add_wide(ask(0x8000'0019, 0).eax, 1, huge, caches);
    if (highest >= 0x8000'0006) {
        add_wide(ask(0x8000'0006, 0).ebx, 2, small, caches);
        add_wide(ask(0x8000'0006, 0).eax, 2, large, caches);
    }
    if (highest >= 0x8000'0019) add_wide(ask(0x8000'0019, 0).ebx, 2, huge, caches);
}

} // namespace

TranslationCaches read_translation_caches(AskCpuid ask) {
    std::uint32_t const highest = ask(0, 0).eax;
    TranslationCaches caches;
    if (highest >= 0x18) add_listed(ask, caches);
    if (caches.list().empty() && highest >= 2) add_described(ask, caches);
    if (caches.list().empty()) add_extended(ask, caches);
    return caches;
}

TranslationCaches translation_caches() {
    return read_translation_caches([](std::uint32_t leaf, std::uint32_t subleaf) { return cpuid(leaf, subleaf); });
}

} // namespace mxk::arch
