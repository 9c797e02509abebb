// What QEMU calls: the plugin's entry, and its callbacks, which only find the simulation.
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tools/simulator/plugin/plugin_api.hpp"
#include "tools/simulator/plugin/simulation.hpp"

#define MXK_EXPORTED extern "C" [[gnu::visibility("default")]]

MXK_EXPORTED int qemu_plugin_version;
int qemu_plugin_version = 4;

namespace mxk::simulator {
namespace {

constinit Simulation* simulation = nullptr; // as long as the process

[[noreturn]] void give_up(std::exception const& error) {
    std::fprintf(stderr, "mxk-simulator: %s\n", error.what());
    std::_Exit(1);
}

void core_appears(qemu_plugin_id_t, unsigned core) {
    try {
        simulation->core_appears(core);
    } catch (std::exception const& error) {
        give_up(error);
    }
}

void block_begins(unsigned, void* block) {
    auto const place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    simulation->block_begins(*static_cast<Block*>(block), place);
}

void accesses(unsigned, qemu_plugin_meminfo_t information, std::uint64_t address, void* instruction) {
    bool const stores = qemu_plugin_mem_is_store(information);
    if (!simulation->measures() || simulation->was_done(address, stores)) return;
    qemu_plugin_hwaddr const* const place = qemu_plugin_get_hwaddr(information, address);
    if (place == nullptr) return;
    simulation->access(*static_cast<Instruction const*>(instruction),
                       {.virtual_address = address,
                        .physical_address = qemu_plugin_hwaddr_phys_addr(place),
                        .bytes = std::uint32_t{1} << qemu_plugin_mem_size_shift(information),
                        .kind = stores ? Kind::Store : Kind::Load,
                        .page_bits = simulation->pages().find(address).bits});
}

void prefetches(unsigned, void* instruction) {
    simulation->prefetch(*static_cast<Instruction const*>(instruction));
}

void reads_time(unsigned, void* instruction) {
    simulation->reads_time(*static_cast<Instruction const*>(instruction));
}

void halts(unsigned, void* instruction) {
    simulation->halts(*static_cast<Instruction const*>(instruction));
}

void writes_port(unsigned, void* port) {
    simulation->writes_port(reinterpret_cast<std::uintptr_t>(port));
}

void changes_pages(unsigned, void*) {
    simulation->changes_pages();
}

/// The port that an `out` names, if it does so itself; 0: that rdx names.
std::optional<std::uintptr_t> port_written(qemu_plugin_insn const* instruction) {
    std::array<std::uint8_t, 16> code{};
    std::size_t const size = qemu_plugin_insn_data(instruction, code.data(), code.size());
    std::size_t const at = code[0] == 0x66 ? 1 : 0; // of two bytes
    if (size == at + 2 && (code[at] & 0xfe) == 0xe6) return code[at + 1];
    if (size == at + 1 && (code[at] & 0xfe) == 0xee) return 0;
    return std::nullopt;
}

/// Loads a control register, or invalidates a translation.
bool is_change_of_pages(qemu_plugin_insn const* instruction) {
    std::array<std::uint8_t, 16> code{};
    std::size_t const size = qemu_plugin_insn_data(instruction, code.data(), code.size());
    std::size_t const at = code[0] >= 0x40 && code[0] < 0x50 ? 1 : 0;
    if (size < at + 3 || code[at] != 0x0f) return false;
    constexpr std::uint8_t invlpg = 7;
    bool const is_invlpg = code[at + 1] == 0x01 && (code[at + 2] >> 3 & 7) == invlpg && code[at + 2] < 0xc0;
    return code[at + 1] == 0x22 || is_invlpg;
}

void translates(qemu_plugin_id_t, qemu_plugin_tb* translated) {
    Block& block = simulation->translate(translated);
    qemu_plugin_register_vcpu_tb_exec_cb(translated, block_begins, plugin_no_registers, &block);
    for (std::size_t number = 0; number != block.instructions.size(); ++number) {
        Instruction& instruction = block.instructions[number];
        qemu_plugin_insn* const at = qemu_plugin_tb_get_insn(translated, number);
        qemu_plugin_register_vcpu_mem_cb(at, accesses, plugin_no_registers, plugin_loads_and_stores, &instruction);
        if (instruction.type == Class::Prefetch)
            qemu_plugin_register_vcpu_insn_exec_cb(at, prefetches, plugin_reads_registers, &instruction);
        if (instruction.type == Class::Rdtsc)
            qemu_plugin_register_vcpu_insn_exec_cb(at, reads_time, plugin_no_registers, &instruction);
        if (instruction.type == Class::Halt)
            qemu_plugin_register_vcpu_insn_exec_cb(at, halts, plugin_no_registers, &instruction);
        if (auto const port = port_written(at); port && instruction.type == Class::SerialIo)
            qemu_plugin_register_vcpu_insn_exec_cb(at, writes_port, plugin_reads_registers,
                                                   reinterpret_cast<void*>(*port));
        if (is_change_of_pages(at))
            qemu_plugin_register_vcpu_insn_exec_cb(at, changes_pages, plugin_no_registers, nullptr);
    }
}

void exits(qemu_plugin_id_t, void*) {
    simulation->write_results();
}

} // namespace
} // namespace mxk::simulator

MXK_EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, qemu_info_t const* information, int count, char** arguments) {
    using namespace mxk::simulator;
    try {
        if (!information->system_emulation || std::string(information->target_name) != "x86_64")
            throw std::runtime_error("expected qemu-system-x86_64");
        Options const options = Options::parse({arguments, static_cast<std::size_t>(count)});
        simulation = new Simulation(options, static_cast<unsigned>(information->system.smp_vcpus));
    } catch (std::exception const& error) {
        std::fprintf(stderr, "mxk-simulator: %s\n", error.what());
        return 1;
    }
    qemu_plugin_register_vcpu_init_cb(id, core_appears);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
    qemu_plugin_register_atexit_cb(id, exits, nullptr);
    return 0;
}
