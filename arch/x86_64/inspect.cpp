#include "arch/inspect.hpp"

#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/memory/tlb.hpp"

namespace mxk::arch {

Result<std::uint64_t> read_memory(std::uintptr_t address) {
    if (auto const word = try_read(address)) return *word;
    return Error::of("expected an address of mapped memory, got 0x{:x}", address);
}

Result<std::uint64_t> read_model_register(std::uint32_t number) {
    if (auto const content = try_read_msr(number)) return *content;
    return Error::of("expected a model-specific register that this processor has, got 0x{:x}", number);
}

Result<void> flush_translations() {
    forget_own_translations();
    return {};
}

std::optional<TranslationCounts> translation_counts() {
    return counted_translations();
}

} // namespace mxk::arch
