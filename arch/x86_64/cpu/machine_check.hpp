// Machine checks (SDM vol. 3B chapter 15; AMD APM vol. 2 chapter 9): errors that the processor finds in itself, its
// caches, its buses and the memory. Switched on per core; one that comes is fatal, and is reported with what the banks
// of the core say.
#pragma once

#include <cstdint>

#include "base/text.hpp"

namespace mxk::arch {

// One bank of error-reporting registers.
struct MachineCheckBank {
    unsigned number = 0;
    std::uint64_t status = 0;  // IA32_MCi_STATUS
    std::uint64_t address = 0; // IA32_MCi_ADDR, if the status says that it is valid
    std::uint64_t misc = 0;    // IA32_MCi_MISC, likewise
};

// One line: how bad it is, what it was in words (SDM tables 15-9 to 15-15), and the codes themselves.
void print_machine_check(TextSink& out, MachineCheckBank const& bank);

// Lets the calling core report errors as exception 18, as far as it can, and forgets those of before: without CR4.MCE
// an error resets the machine without a word (SDM section 15.10.1). Every core, once its faults are reported.
void enable_machine_checks();

// Whether a bank of the calling core has an error that is not corrected. Every core gets the exception where one found
// an error.
bool has_machine_check();

// What the banks of the calling core say, and what became of the interrupted code.
void print_machine_checks(TextSink& out);

} // namespace mxk::arch
