#include "arch/inspect.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace mxk::arch {

// By the system, which says no where the program itself would end.
Result<std::uint64_t> read_memory(std::uintptr_t address) {
    std::uint64_t word = 0;
    int const file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    bool const is_read =
        file >= 0 && pread(file, &word, sizeof word, static_cast<off_t>(address)) == static_cast<ssize_t>(sizeof word);
    if (file >= 0) close(file);
    if (is_read) return word;
    return Error::of("expected an address of mapped memory, got 0x{:x}", address);
}

Result<std::uint64_t> read_model_register(std::uint32_t /*number*/) {
    return Error("expected the bare machine: a program may not read model-specific registers");
}

Result<void> flush_translations() {
    return Error("expected the bare machine: translations of addresses are the system's");
}

std::optional<TranslationCounts> translation_counts() {
    return std::nullopt;
}

} // namespace mxk::arch
