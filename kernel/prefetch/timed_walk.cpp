#include "kernel/prefetch/timed_walk.hpp"

#include "arch/cpu.hpp"
#include "base/prefetch.hpp"
#include "base/splitmix.hpp"

namespace mxk {
namespace {

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
        Line* const line = &lines_[splitmix((first + at) * splitmix_step) & mask];
        asked_[at % asked_.size()] = line;
        prefetch_by<hint>(line);
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
