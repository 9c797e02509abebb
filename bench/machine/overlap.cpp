#include "bench/machine/overlap.hpp"

#include <bit>
#include <utility>

#include "base/prefetch.hpp"

namespace mxk::bench {
namespace {

// With the places in registers, as far as there are some: a place in memory would add its own loads to the chain.
template <std::size_t... chain>
void follow_together(ChaseLayout::Place** at, std::size_t steps, std::index_sequence<chain...>) {
    std::array places{at[chain]...};
    for (; steps > 0; --steps) ((places[chain] = places[chain]->next), ...);
    ((at[chain] = places[chain]), ...);
}

// The one of the powers of two that is `chains`.
template <std::size_t... power>
void follow_chains(ChaseLayout::Place** at, std::size_t chains, std::size_t steps, std::index_sequence<power...>) {
    ((chains == std::size_t{1} << power
          ? follow_together(at, steps, std::make_index_sequence<std::size_t{1} << power>())
          : void()),
     ...);
}

} // namespace

ChainGroup::ChainGroup(ChaseLayout const& layout, std::size_t chains)
    : part_{layout.start, layout.count / chains, layout.stride}
    , chains_(chains) {}

ChaseLayout ChainGroup::layout_of(std::size_t chain) const {
    return {part_.start + chain * part_.bytes(), part_.count, part_.stride};
}

void ChainGroup::link(std::uint64_t seed) {
    for (std::size_t chain = 0; chain < chains_; ++chain) {
        link_places(layout_of(chain), seed + chain);
        at_[chain] = layout_of(chain).place(0);
    }
}

void ChainGroup::follow() {
    std::size_t const half = part_.count / 2;
    follow(half);
    if (half > 0) verified_ = verified_ && chains_at_start() == 0;
    follow(part_.count - half);
    verified_ = verified_ && chains_at_start() == chains_;
}

void ChainGroup::follow(std::size_t steps) {
    follow_chains(at_.data(), chains_, steps, std::make_index_sequence<std::bit_width(max_chains)>());
}

std::size_t ChainGroup::chains_at_start() const {
    std::size_t count = 0;
    for (std::size_t chain = 0; chain < chains_; ++chain) count += at_[chain] == layout_of(chain).place(0) ? 1U : 0U;
    return count;
}

void PrefetchedWalk::write() {
    for (std::uint64_t number = 0; number <= mask_; ++number) words_[number * words_per_line] = number;
    at_ = 0;
}

void PrefetchedWalk::follow(std::size_t distance) {
    Jump ahead;
    for (std::size_t step = 0; step < distance; ++step)
        ahead = {ahead.multiplier * one_step.multiplier, one_step.from(ahead.increment)};
    for (bool const is_at_end : {false, true}) {
        distance == 0 ? follow<false>(loads() / 2, ahead) : follow<true>(loads() / 2, ahead);
        verified_ = verified_ && (at_ == 0) == is_at_end;
    }
}

template <bool prefetches> void PrefetchedWalk::follow(std::size_t steps, Jump ahead) {
    for (; steps > 0; --steps) {
        std::uint64_t const number = words_[at_ * words_per_line];
        if constexpr (prefetches) prefetch_for_read(&words_[(ahead.from(number) & mask_) * words_per_line]);
        at_ = one_step.from(number) & mask_;
    }
}

} // namespace mxk::bench
