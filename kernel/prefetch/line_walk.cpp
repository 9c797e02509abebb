#include "kernel/prefetch/line_walk.hpp"

#include "arch/cpu.hpp"
#include "base/prefetch.hpp"

namespace mxk {
namespace {

// By name of the hint, for a loop without the choice.
template <PrefetchHint hint> void ask_for(void const* line) {
    if constexpr (hint == PrefetchHint::T0)
        __builtin_prefetch(line, 0, 3);
    else if constexpr (hint == PrefetchHint::T1)
        __builtin_prefetch(line, 0, 2);
    else if constexpr (hint == PrefetchHint::T2)
        __builtin_prefetch(line, 0, 1);
    else
        __builtin_prefetch(line, 0, 0);
    asm volatile("");
}

// SplitMix64 (Steele, Lea, Flood 2014): its outputs for consecutive numbers look random.
std::uint64_t mixed(std::uint64_t number) {
    number *= 0x9e37'79b9'7f4a'7c15;
    number = (number ^ number >> 30) * 0xbf58'476d'1ce4'e5b9;
    number = (number ^ number >> 27) * 0x94d0'49bb'1331'11eb;
    return number ^ number >> 31;
}

// What an operation on a table does with its line: compares its keys and writes a value.
void operate(LineWalk::Line& line, std::uint64_t key) {
    std::size_t found = 4;
    for (std::size_t i = 0; i < 4; ++i) found += line.words[i] == key ? 1U : 0U;
    line.words[found % 8] = key;
}

} // namespace

template <PrefetchHint hint, bool has_near> Cycles LineWalk::run_as(PrefetchPlan const& plan, std::size_t count) {
    std::uint64_t const first = next_;
    std::size_t const far = plan.far;
    std::size_t const mask = lines_.size() - 1;
    auto const ask = [&](std::size_t at) {
        Line* const line = &lines_[mixed(first + at) & mask];
        asked_[at % asked_.size()] = line;
        ask_for<hint>(line);
    };
    for (std::size_t at = 0; at < far; ++at) ask(at);
    Cycles const start = arch::timestamp();
    for (std::size_t at = 0; at < count; ++at) {
        Line& line = *asked_[at % asked_.size()];
        ask(at + far); // may take the place of `line`
        if constexpr (has_near) prefetch_for_read(asked_[(at + plan.near) % asked_.size()]);
        operate(line, first + at);
    }
    next_ = first + far + count;
    return arch::timestamp() - start;
}

template <PrefetchHint hint> Cycles LineWalk::run_by(PrefetchPlan const& plan, std::size_t count) {
    return plan.near != 0 ? run_as<hint, true>(plan, count) : run_as<hint, false>(plan, count);
}

Cycles LineWalk::run(PrefetchPlan const& plan, std::size_t count) {
    switch (plan.hint) {
    case PrefetchHint::T0: return run_by<PrefetchHint::T0>(plan, count);
    case PrefetchHint::T1: return run_by<PrefetchHint::T1>(plan, count);
    case PrefetchHint::T2: return run_by<PrefetchHint::T2>(plan, count);
    case PrefetchHint::Nta: break;
    }
    return run_by<PrefetchHint::Nta>(plan, count);
}

} // namespace mxk
