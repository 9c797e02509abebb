// A core's TLB: two levels for data, and caches of the page tables' upper levels. Says what a translation takes; the
// loads of a page walk are the caller's.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/lru_sets.hpp"
#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/memory_access.hpp"

namespace mxk::simulator {

class Tlb {
  public:
    explicit Tlb(TlbParameters const& parameters);

    /// Whether it is the page that was used last: no more is to be done then.
    bool is_last(std::uint64_t virtual_address, unsigned page_bits) const {
        return key(virtual_address, page_bits) == last_;
    }

    enum class Found : std::uint8_t { First, Second, Nowhere };
    /// Which level has it; it is in both afterwards.
    Found look_up(std::uint64_t virtual_address, unsigned page_bits);

    /// The levels of the page table that a walk has to load, the last one included; 1 is the table of 4 KiB pages.
    struct Walk {
        unsigned first;
        unsigned last;
    };
    Walk walk(std::uint64_t virtual_address, unsigned page_bits);

    void flush(); // mov to cr3 without PCIDs

  private:
    static constexpr unsigned upper_entries = 32; // of each level's paging-structure cache

    static std::uint64_t key(std::uint64_t virtual_address, unsigned page_bits) {
        return (virtual_address >> page_bits) << 6 | page_bits;
    }

    std::uint64_t last_ = 0;
    unsigned walk_levels_;
    LruSets<std::uint64_t> first_;
    LruSets<std::uint64_t> second_;
    std::vector<LruSets<std::uint64_t>> upper_; // [level - 2]: where the table below is
};

/// The bits of an address that the entry of a table of that level maps.
constexpr unsigned mapped_bits(unsigned level) {
    return 12 + 9 * (level - 1);
}

} // namespace mxk::simulator
