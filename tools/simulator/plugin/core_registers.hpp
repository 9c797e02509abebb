// The registers of the core that runs, as QEMU has them for debuggers. On the thread that runs the cores, and general
// registers only in callbacks that said that they read registers.
#pragma once

#include <array>
#include <cstdint>

#include "tools/simulator/plugin/plugin_api.hpp"

namespace mxk::simulator {

enum class SystemRegister : std::uint8_t { FsBase, GsBase, Cr0, Cr3, Cr4 };

class CoreRegisters {
  public:
    /// While a core is initialised. Throws std::runtime_error if QEMU lacks one.
    void find();

    /// number: of the 16 general registers, as machine code numbers them.
    std::uint64_t general(unsigned number) { return read(general_[number]); }
    std::uint64_t system(SystemRegister name) { return read(system_[static_cast<std::size_t>(name)]); }

  private:
    std::uint64_t read(qemu_plugin_register* handle);

    std::array<qemu_plugin_register*, 16> general_{};
    std::array<qemu_plugin_register*, 5> system_{};
    GByteArray* value_ = g_byte_array_new();
};

} // namespace mxk::simulator
