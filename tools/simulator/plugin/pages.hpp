// The pages of the kernel: where an address lies, and how large the page is that maps it. Read from the page tables of
// the core that runs, and remembered until they are forgotten.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/plugin/core_registers.hpp"

namespace mxk::simulator {

struct Page {
    std::uint64_t number = ~std::uint64_t{0}; // address / 4096
    std::uint64_t physical = 0;               // of that 4 KiB
    std::uint8_t bits = 12;                   // log2 of the size of the page that maps it
    bool mapped = false;
    std::uint32_t generation = 0;
};

class Pages {
  public:
    explicit Pages(CoreRegisters& registers)
        : registers_(registers)
        , table_(table_size) {}

    Page const& find(std::uint64_t address) {
        std::uint64_t const number = address >> small_bits;
        Page& page = table_[number % table_size];
        if (page.number != number || page.generation != generation_) page = walk(address);
        return page;
    }
    std::uint64_t physical(std::uint64_t address) {
        return find(address).physical + (address & ((std::uint64_t{1} << small_bits) - 1));
    }
    /// What is remembered of the address does not hold any more.
    void forget(std::uint64_t address) { table_[(address >> small_bits) % table_size] = Page{}; }
    void forget() { ++generation_; }

  private:
    static constexpr unsigned small_bits = 12;
    static constexpr std::size_t table_size = 65536;

    Page walk(std::uint64_t address);

    CoreRegisters& registers_;
    std::vector<Page> table_;
    std::uint32_t generation_ = 1;
};

} // namespace mxk::simulator
