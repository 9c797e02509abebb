// Which class of the core model an instruction is of.
#pragma once

#include "tools/simulator/model/instruction.hpp"

struct cs_insn;

namespace mxk::simulator {

/// By what it is alone: Plain, if it depends on operands or prefixes.
Class class_of(unsigned capstone_instruction);

/// operands: what is known of it already.
Class class_of(cs_insn const& found, Instruction const& operands);

/// Of prefetches.
Hint hint_of(unsigned capstone_instruction);

/// One of Capstone's groups of instructions, such as calls.
bool in_group(cs_insn const& found, unsigned group);

} // namespace mxk::simulator
