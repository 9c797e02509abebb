#include "bench/adaptive/guarded_sections.hpp"

namespace mxk::bench {
namespace {

template <typename Guard>
[[gnu::always_inline]] inline void repeat(Guard& guard, SectionWord& word, std::uint64_t count) {
    for (; count != 0; --count) guarded_section(guard, word);
}

} // namespace

void mxk_sections_bare(NoLock& lock, SectionWord& word, std::uint64_t count) {
    repeat(lock, word, count);
}
void mxk_sections_spin(SpinLock& lock, SectionWord& word, std::uint64_t count) {
    repeat(lock, word, count);
}
void mxk_sections_mcs(McsLock& lock, SectionWord& word, std::uint64_t count) {
    repeat(lock, word, count);
}
void mxk_sections_dynamic(DynamicSpin& lock, SectionWord& word, std::uint64_t count) {
    repeat(lock, word, count);
}
void mxk_sections_dynamic_mcs(DynamicMcs& lock, SectionWord& word, std::uint64_t count) {
    repeat(lock, word, count);
}
void mxk_sections_cascade(SpinCascade& locks, SectionWord& word, std::uint64_t count) {
    repeat(locks, word, count);
}

} // namespace mxk::bench
