// Looking into the running machine from the console: its memory, its registers, the translations of addresses that its
// cores keep. None of it is for code that is measured.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"

namespace mxk::arch {

// The eight bytes at the address. Errors: not all of them can be read. What is read may be a device's register, which a
// read may change. Any core; does not block on metal, on Linux it waits for the file system.
Result<std::uint64_t> read_memory(std::uintptr_t address);

// A model-specific register of the calling core (SDM vol. 4). Errors: the processor does not have it; Linux: always,
// since a program may not read them. Does not block.
Result<std::uint64_t> read_model_register(std::uint32_t number);

// The calling core forgets all translations of addresses (SDM vol. 3A section 4.10.4). Errors: Linux: always. Does not
// block.
Result<void> flush_translations();

// What has become of translations since the start.
struct TranslationCounts {
    std::uint64_t shootdowns;        // times that a core had all cores forget them
    std::uint64_t interrupted_cores; // by these
    std::uint64_t flushes;           // times that a core forgot its own, for whatever reason
};
// Any core. Nothing on Linux, where they are the system's.
std::optional<TranslationCounts> translation_counts();

} // namespace mxk::arch
