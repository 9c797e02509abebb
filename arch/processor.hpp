// What the processor says of itself (CPUID), for people: names of its features, and how many translations of addresses
// it keeps. Both builds read it in the same way (arch/cpuid/); under a hypervisor it is what that lets be seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/text.hpp"

namespace mxk::arch {

// Words with a blank between them, as short as the field has them: "sse4.2 avx2 x2apic". The calling core's. Does not
// block.
void write_features(TextSink& out);

// One of the processor's memories of translations (TLB).
struct TranslationCache {
    enum class Kind : std::uint8_t { Data, Instruction, Unified, Load, Store };
    // Sizes of pages, as bits of `pages`.
    static constexpr std::uint32_t four_kib = 1;
    static constexpr std::uint32_t two_mib = 2;
    static constexpr std::uint32_t four_mib = 4;
    static constexpr std::uint32_t one_gib = 8;
    static constexpr std::uint32_t fully_associative = 0xffff'ffff;
    static constexpr std::uint32_t unknown_ways = 0;

    std::uint32_t level; // 1: the first that is asked
    Kind kind;
    std::uint32_t pages;
    std::uint32_t entries;
    std::uint32_t ways;

    bool operator==(TranslationCache const&) const = default;
};

class TranslationCaches {
  public:
    static constexpr std::size_t capacity = 32;

    // What is more than `capacity` is left out.
    constexpr void add(TranslationCache const& cache) {
        if (count_ < capacity) caches_[count_++] = cache;
    }
    [[nodiscard]] constexpr std::span<TranslationCache const> list() const { return {caches_.data(), count_}; }

  private:
    std::array<TranslationCache, capacity> caches_{};
    std::size_t count_ = 0;
};

// Of the calling core; empty: the processor does not tell. Does not block.
TranslationCaches translation_caches();

} // namespace mxk::arch
