// Machine code of x86-64 as Instructions of the model, by Capstone. Slow: an instruction is to be decoded when it is
// translated, not when it is executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/simulator/model/instruction.hpp"

struct cs_insn;

namespace mxk::simulator {

/// For one thread.
class Decoder {
  public:
    Decoder(); // throws std::runtime_error if Capstone is of another version
    ~Decoder();
    Decoder(Decoder const&) = delete;
    Decoder& operator=(Decoder const&) = delete;

    /// The instruction that begins there. What Capstone does not know is a plain instruction of a cycle, without
    /// operands, as long as `code`: so pass one instruction only.
    Instruction decode(std::span<std::uint8_t const> code, std::uint64_t address);

  private:
    std::size_t handle_ = 0;
    cs_insn* instruction_ = nullptr;
};

} // namespace mxk::simulator
