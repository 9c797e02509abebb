#include "tools/simulator/plugin/core_registers.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mxk::simulator {
namespace {

constexpr std::array<std::string_view, 16> general_names = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                            "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
constexpr std::array<std::string_view, 5> system_names = {"fs_base", "gs_base", "cr0", "cr3", "cr4"};

qemu_plugin_register* find_one(std::span<qemu_plugin_reg_descriptor const> all, std::string_view name) {
    auto const found =
        std::ranges::find_if(all, [name](qemu_plugin_reg_descriptor const& one) { return one.name == name; });
    if (found == all.end()) throw std::runtime_error("expected QEMU to know a register " + std::string(name));
    return found->handle;
}

} // namespace

void CoreRegisters::find() {
    GArray const* const list = qemu_plugin_get_registers();
    std::span<qemu_plugin_reg_descriptor const> const all(
        reinterpret_cast<qemu_plugin_reg_descriptor const*>(list == nullptr ? nullptr : list->data),
        list == nullptr ? 0 : list->len);
    for (std::size_t number = 0; number != general_.size(); ++number)
        general_[number] = find_one(all, general_names[number]);
    for (std::size_t number = 0; number != system_.size(); ++number)
        system_[number] = find_one(all, system_names[number]);
}

std::uint64_t CoreRegisters::read(qemu_plugin_register* handle) {
    g_byte_array_set_size(value_, 0); // it is appended to
    if (qemu_plugin_read_register(handle, value_) <= 0) return 0;
    std::uint64_t value = 0;
    std::memcpy(&value, value_->data, std::min<std::size_t>(value_->len, sizeof value));
    return value;
}

} // namespace mxk::simulator
