// Critical sections of about 20 cycles, one after the other on one core, under something that keeps others away: what
// one costs more than with nothing is what that costs. A section multiplies a word in memory by itself and others, so
// the next one has to wait for it.
#pragma once

#include <cstdint>

#include "base/lock_rank.hpp"
#include "base/no_lock.hpp"
#include "base/spin_lock.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "locks/mcs_lock.hpp"

namespace mxk::bench {

struct SectionWord {
    static constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15; // odd, so nothing is lost
    static constexpr int multiplications = 10; // one after the other, 3 cycles each: of the core, which counts faster
                                               // than the time stamps on many machines
    std::uint64_t value = 1;
    std::uint64_t sections = 0;

    [[gnu::always_inline]] void section() {
        std::uint64_t now = value;
        // Unrolled: where a loop of three instructions lies in the code would show in all sections.
#pragma GCC unroll multiplications
        for (int i = 0; i < multiplications; ++i) {
            now *= factor;
            asm volatile("" : "+r"(now));
        }
        value = now;
        ++sections;
    }
    // Whether these sections, and no others, have been made.
    [[nodiscard]] bool has_made(std::uint64_t count) const {
        std::uint64_t expected = 1;
        for (std::uint64_t i = 0; i < count * multiplications; ++i) expected *= factor;
        return sections == count && value == expected;
    }
};

template <Lock LockType> [[gnu::always_inline]] inline void guarded_section(LockType& lock, SectionWord& word) {
    typename LockType::Node node;
    lock.lock(node);
    word.section();
    lock.unlock(node);
}
template <typename Inner, typename Visit>
[[gnu::always_inline]] inline void guarded_section(LockCascade<Inner, Visit>& locks, SectionWord& word) {
    typename LockCascade<Inner, Visit>::Node node;
    locks.lock(0, node);
    word.section();
    locks.unlock(node);
}

using DynamicSpin = DynamicLock<SpinLock>;
using DynamicMcs = DynamicLock<McsLock>;
using SpinCascade = LockCascade<SpinLock>;

// Not inlined, so that a test finds their instructions (tests/system/test_dynamic_lock.py). The names are for it.
extern "C" {
void mxk_sections_bare(NoLock& lock, SectionWord& word, std::uint64_t count);
void mxk_sections_spin(SpinLock& lock, SectionWord& word, std::uint64_t count);
void mxk_sections_mcs(McsLock& lock, SectionWord& word, std::uint64_t count);
void mxk_sections_dynamic(DynamicSpin& lock, SectionWord& word, std::uint64_t count);
void mxk_sections_dynamic_mcs(DynamicMcs& lock, SectionWord& word, std::uint64_t count);
void mxk_sections_cascade(SpinCascade& locks, SectionWord& word, std::uint64_t count);
}

} // namespace mxk::bench
