// The TLB of a core that is a thread: an array of translations that only its core touches. It is filled by a walk of
// the page tables when an access finds nothing, and it keeps what it has until the core itself forgets it. So a
// protocol that forgets too little shows in what an access finds, as it does on a processor on a bad day.
#pragma once

#include <array>
#include <cstdint>

#include "arch/translations.hpp"

namespace mxk::arch {

class EmulatedTlb {
  public:
    // What processors differ in. Of all cores; changed by tests while none uses its TLB.
    static translations::Abilities& abilities();

    // Of the calling thread.
    static EmulatedTlb& own();

    // For tests of tests: while set, it forgets nothing, whatever it is told.
    void be_faulty(bool is_faulty) { is_faulty_ = is_faulty; }

    void activate(translations::Table* root, unsigned tag, bool keep);
    bool forget_page(unsigned tag, bool is_active, std::uint64_t address);

    // The entry by which the address is translated now; 0: none. A denied write forgets it, as a page fault does (SDM
    // vol. 3A section 4.10.4.1).
    std::uint64_t translate(std::uint64_t address, bool is_write, unsigned& level);

  private:
    static constexpr std::size_t size = 512;
    struct Kept {
        std::uint64_t page = 0; // its number among pages of its size
        std::uint64_t entry = 0;
        unsigned level = 0; // 0: nothing
        unsigned tag = 0;
    };

    Kept& place(std::uint64_t page, unsigned level, unsigned tag);
    Kept* find(std::uint64_t address, unsigned tag);
    Kept* walk(std::uint64_t address);

    translations::Table* root_ = nullptr;
    unsigned tag_ = 0;
    bool is_faulty_ = false;
    std::array<Kept, size> kept_{};
};

} // namespace mxk::arch
