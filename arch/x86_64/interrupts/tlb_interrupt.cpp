// What a core does when another one has unmapped something. Compiled without SSE: see interrupts.hpp.
#include "arch/x86_64/memory/tlb.hpp"

#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"

namespace mxk::arch {

constinit std::atomic<std::size_t> cores_to_answer{0};
constinit std::atomic<std::uint64_t> own_flushes{0};

// SDM vol. 3A 4.10.4.1: CR3 leaves the translations of global pages, changing CR4.PGE leaves none.
void forget_own_translations() {
    constexpr std::uint64_t global_pages = 1 << 7;
    own_flushes.fetch_add(1, std::memory_order_relaxed);
    std::uint64_t const cr4 = read_cr4();
    if ((cr4 & global_pages) == 0) return write_cr3(read_cr3());
    write_cr4(cr4 & ~global_pages);
    write_cr4(cr4);
}

void forget_translations_as_asked() {
    forget_own_translations();
    cores_to_answer.fetch_sub(1, std::memory_order_release); // pairs with forget_translations()
}

} // namespace mxk::arch
