// Forgetting translations, which handlers do, too. Compiled without SSE: see interrupts.hpp.
#include "arch/x86_64/memory/translations.hpp"

#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/memory/layout.hpp"

extern "C" std::uint64_t kernel_page_table; // paging.cpp

namespace mxk::arch {

void run_translations_handler() {
    if (translations::Handler const handler = translations_handler.load(std::memory_order_relaxed)) handler();
}

namespace translations {

// SDM vol. 3A section 4.10.4.1: with bit 63 the translations of this PCID stay; and 2.5: CR3.
void activate(Table& root, unsigned tag, bool keep) {
    std::uint64_t const address = raw(to_physical(&root));
    if (!translation_abilities.tags) return write_cr3(address);
    constexpr std::uint64_t keep_translations = std::uint64_t{1} << 63;
    write_cr3(address | tag | (keep ? keep_translations : 0));
}

// What is kept under tag 0 that is not global: nothing that changes.
void activate_kernel() {
    write_cr3(kernel_page_table);
}

bool forget_page(unsigned tag, bool is_active, std::uint64_t address) {
    if (is_active) {
        asm volatile("invlpg (%0)" ::"r"(address) : "memory");
        return true;
    }
    if (!translation_abilities.tags) return true; // nothing is kept of it
    if (!translation_abilities.tagged_pages) return false;
    struct { // SDM vol. 2A, INVPCID: type 0, one address
        std::uint64_t tag;
        std::uint64_t address;
    } const one{tag, address};
    asm volatile("invpcid %0, %1" ::"m"(one), "r"(std::uint64_t{0}) : "memory");
    return true;
}

HandlerOff::HandlerOff() {
    std::uint64_t flags = 0;
    asm volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
    disable_interrupts();
    constexpr std::uint64_t interrupt_flag = 1U << 9U; // SDM vol. 1 section 3.4.3
    was_on_ = (flags & interrupt_flag) != 0;
}
HandlerOff::~HandlerOff() {
    if (was_on_) enable_interrupts();
}

} // namespace translations
} // namespace mxk::arch
