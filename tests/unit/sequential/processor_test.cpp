// Features and TLBs of made-up processors, and of some real ones by what CPUID says there.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "arch/cpuid/features.hpp"
#include "arch/cpuid/read_translation_caches.hpp"

namespace mxk::arch {
namespace {

std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidResult> cpuid_answers;

CpuidResult cpuid_answer(std::uint32_t leaf, std::uint32_t subleaf) {
    auto const found = cpuid_answers.find({leaf, subleaf});
    return found == cpuid_answers.end() ? CpuidResult{} : found->second;
}

std::string features() {
    FixedText<1024> text;
    write_features(text, &cpuid_answer);
    return std::string(text.view());
}

std::vector<TranslationCache> caches() {
    auto const found = read_translation_caches(&cpuid_answer);
    return {found.list().begin(), found.list().end()};
}

using Caches = std::vector<TranslationCache>;
using Kind = TranslationCache::Kind;
constexpr std::uint32_t small = TranslationCache::four_kib;
constexpr std::uint32_t two = TranslationCache::two_mib;
constexpr std::uint32_t large = TranslationCache::two_mib | TranslationCache::four_mib;
constexpr std::uint32_t huge = TranslationCache::one_gib;
constexpr std::uint32_t full = TranslationCache::fully_associative;

TEST(ProcessorFeatures, are_named_in_the_order_of_the_leaves) {
    cpuid_answers = {{{0, 0}, {7, 0, 0, 0}},
                     {{1, 0}, {0, 0, 1U << 21 | 1U << 0, 0}},
                     {{7, 0}, {0, 1U << 5, 1U << 2, 1U << 4}},
                     {{0x8000'0000, 0}, {0x8000'0001, 0, 0, 0}},
                     {{0x8000'0001, 0}, {0, 0, 0, 1U << 20 | 1U << 26}}};
    EXPECT_EQ(features(), "sse3 x2apic avx2 umip fsrm nx 1g-pages");
}

TEST(ProcessorFeatures, of_leaves_that_a_processor_does_not_have_are_none) {
    // Beyond the highest leaf Intel's answer as the highest one.
    cpuid_answers = {{{0, 0}, {1, 0, 0, 0}},
                     {{7, 0}, {0, 0xffff'ffff, 0xffff'ffff, 0xffff'ffff}},
                     {{0xd, 1}, {0xffff'ffff, 0, 0, 0}},
                     {{0x8000'0000, 0}, {0, 0, 0, 0}},
                     {{0x8000'0007, 0}, {0, 0, 0, 0xffff'ffff}}};
    EXPECT_EQ(features(), "");
}

TEST(TranslationCachesByCpuid, of_leaf_2) { // an Intel Xeon of 2010, Westmere
    cpuid_answers = {{{0, 0}, {0xb, 0, 0, 0}}, {{2, 0}, {0x55035a01, 0x00f0b2ff, 0, 0x09ca212c}}};
    EXPECT_EQ(caches(), (Caches{{1, Kind::Data, large, 32, 4},
                                {1, Kind::Data, small, 64, 4},
                                {1, Kind::Instruction, large, 7, full},
                                {1, Kind::Instruction, small, 64, 4},
                                {2, Kind::Unified, small, 512, 4}}));
    cpuid_answers[{2, 0}] = {0x80c1c301, 0x80c1c3c1, 0x00c30000, 0};
    EXPECT_EQ(caches(), (Caches{{2, Kind::Unified, small | two, 1536, 6}, {2, Kind::Unified, huge, 16, 4}}))
        << "registers whose highest bit is set have no descriptor; one of them stands for two";
}

TEST(TranslationCachesByCpuid, of_leaf_18h_before_leaf_2) {
    cpuid_answers = {{{0, 0}, {0x18, 0, 0, 0}},
                     {{2, 0}, {0x00feff01, 0xf0, 0, 0}},
                     {{0x18, 0}, {3, 0, 0, 0}}, // none in the first
                     {{0x18, 1}, {0, 0x0008'0001, 8, 0x4022}},
                     {{0x18, 2}, {0, 0x0010'0006, 1, 0x0124}},
                     {{0x18, 3}, {0, 0x0008'0007, 128, 0x0043}},
                     {{0x18, 4}, {0, 0x0008'0007, 128, 0x0043}}}; // beyond the last
    EXPECT_EQ(caches(), (Caches{{1, Kind::Instruction, small, 64, 8},
                                {1, Kind::Load, large, 16, full},
                                {2, Kind::Unified, small | large, 1024, 8}}));
}

TEST(TranslationCachesByCpuid, of_extended_leaves) { // an AMD EPYC of 2019, Zen 2
    cpuid_answers = {{{0, 0}, {0x10, 0, 0, 0}},
                     {{0x8000'0000, 0}, {0x8000'0020, 0, 0, 0}},
                     {{0x8000'0005, 0}, {0xff40'ff40, 0xff40'ff40, 0x2008'0140, 0x2008'0140}},
                     {{0x8000'0006, 0}, {0x4800'6400, 0x6800'6400, 0x0200'6140, 0}},
                     {{0x8000'0019, 0}, {0xf040'f040, 0xf040'0000, 0, 0}}};
    EXPECT_EQ(caches(), (Caches{{1, Kind::Data, small, 64, full},
                                {1, Kind::Instruction, small, 64, full},
                                {1, Kind::Data, large, 64, full},
                                {1, Kind::Instruction, large, 64, full},
                                {1, Kind::Data, huge, 64, full},
                                {1, Kind::Instruction, huge, 64, full},
                                {2, Kind::Data, small, 2048, 8},
                                {2, Kind::Instruction, small, 1024, 8},
                                {2, Kind::Data, large, 2048, 4},
                                {2, Kind::Instruction, large, 1024, 8},
                                {2, Kind::Data, huge, 64, full}}));
    cpuid_answers[{0x8000'0006, 0}].ebx = 0x4200; // as processors have it whose second level is one for both
    cpuid_answers[{0x8000'0006, 0}].eax = 0;
    EXPECT_EQ(caches()[6], (TranslationCache{2, Kind::Unified, small, 512, 4}));
}

TEST(TranslationCachesByCpuid, of_a_processor_that_does_not_tell) {
    cpuid_answers = {{{0, 0}, {1, 0, 0, 0}}};
    EXPECT_TRUE(caches().empty());
    // An endless list of a hypervisor's is cut.
    cpuid_answers = {{{0, 0}, {0x18, 0, 0, 0}}, {{0x18, 0}, {0xffff'ffff, 0x0001'0001, 1, 0x21}}};
    for (std::uint32_t i = 1; i < 100; ++i) cpuid_answers[{0x18, i}] = cpuid_answers[{0x18, 0}];
    EXPECT_EQ(caches().size(), TranslationCaches::capacity);
}

} // namespace
} // namespace mxk::arch
