#include "tools/simulator/plugin/emulator.hpp"

#include <array>
#include <cstring>

namespace mxk::simulator {

StopMark::StopMark() {
    // movzx eax, byte [rdi + offset]: the first parameter's member is what the function looks at first
    constexpr std::array<std::uint8_t, 3> load = {0x0f, 0xb6, 0x87};
    auto const* const code = reinterpret_cast<std::uint8_t const*>(&cpu_is_stopped);
    std::int32_t offset = 0;
    std::memcpy(&offset, code + load.size(), sizeof offset);
    constexpr std::int32_t max_offset = 4096;
    if (std::memcmp(code, load.data(), load.size()) == 0 && offset > 0 && offset < max_offset) offset_ = offset;
}

void StopMark::set(CPUState* core, bool stopped) const {
    if (offset_ != 0) *(reinterpret_cast<bool volatile*>(core) + offset_) = stopped;
}

} // namespace mxk::simulator
