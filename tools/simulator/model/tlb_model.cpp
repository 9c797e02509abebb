#include "tools/simulator/model/tlb_model.hpp"

#include <algorithm>
#include <bit>

namespace mxk::simulator {
namespace {

/// About four ways, sets of a power of two.
std::uint32_t sets_of(unsigned entries) {
    std::uint32_t sets = std::bit_floor(std::max(1U, entries / 4));
    while (entries % sets != 0) sets /= 2;
    return sets;
}

} // namespace

Tlb::Tlb(TlbParameters const& parameters)
    : walk_levels_(parameters.walk_levels)
    , first_(sets_of(parameters.l1_entries), parameters.l1_entries / sets_of(parameters.l1_entries))
    , second_(sets_of(parameters.l2_entries), parameters.l2_entries / sets_of(parameters.l2_entries))
    , upper_(walk_levels_, LruSets<std::uint64_t>(1, upper_entries)) {}

Tlb::Found Tlb::look_up(std::uint64_t virtual_address, unsigned page_bits) {
    std::uint64_t const wanted = key(virtual_address, page_bits);
    std::uint64_t const index = virtual_address >> page_bits;
    last_ = wanted;
    if (first_.touch(wanted, index)) return Found::First;
    first_.insert(wanted, index);
    if (second_.touch(wanted, index)) return Found::Second;
    second_.insert(wanted, index);
    return Found::Nowhere;
}

Tlb::Walk Tlb::walk(std::uint64_t virtual_address, unsigned page_bits) {
    unsigned const last = page_bits < mapped_bits(2) ? 1 : page_bits < mapped_bits(3) ? 2 : 3;
    unsigned first = last;
    for (unsigned level = last + 1; level <= walk_levels_; ++level) {
        std::uint64_t const key = (virtual_address >> mapped_bits(level)) + 1;
        if (upper_[level - 2].touch(key, 0)) break;
        upper_[level - 2].insert(key, 0);
        first = level;
    }
    return {first, last};
}

void Tlb::flush() {
    last_ = 0;
    first_.clear();
    second_.clear();
    for (LruSets<std::uint64_t>& level : upper_) level.clear();
}

} // namespace mxk::simulator
