// Accesses that may fault: an instruction and where to continue if it does. For tests of what must not be possible, for
// addresses that a person has typed, and for model-specific registers that a processor need not have.
#pragma once

#include <cstdint>
#include <optional>

namespace mxk::arch {

struct Fixup {
    std::uint64_t faulting;
    std::uint64_t continue_at;
};

// Whether a byte can be written at / read from the address. The byte is written back as it was.
bool can_read(std::uint64_t address);
bool can_write(std::uint64_t address);

// The eight bytes at the address; nothing where one of them cannot be read. Any core; does not block.
std::optional<std::uint64_t> try_read(std::uint64_t address);

// Writes them; false where they cannot be written.
bool try_write(std::uint64_t address, std::uint64_t value);

// As read_msr() and write_msr(), but a register that the processor does not have, or a value that it does not take (SDM
// vol. 2B, RDMSR and WRMSR: a general protection fault), is nothing, or false. Any core, once its faults are handled;
// does not block.
std::optional<std::uint64_t> try_read_msr(std::uint32_t number);
bool try_write_msr(std::uint32_t number, std::uint64_t value);

} // namespace mxk::arch
