#include "tools/simulator/plugin/blocks.hpp"

#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "tools/simulator/model/machine_model.hpp"

namespace mxk::simulator {
namespace {

constexpr std::size_t max_instruction_bytes = 15;

void append(std::string& text, std::uint64_t value) {
    text.append(reinterpret_cast<char const*>(&value), sizeof value);
}

/// Where a direct jump or call goes, or 0.
std::uint64_t jump_target(std::span<std::uint8_t const> code, std::uint64_t next) {
    while (code.size() > 2 && (code[0] == 0xf2 || code[0] == 0xf3 || code[0] == 0x3e || code[0] == 0x2e))
        code = code.subspan(1);
    bool const is_near = code.size() == 5 && (code[0] == 0xe8 || code[0] == 0xe9);
    bool const is_near_conditional = code.size() == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
    if (is_near || is_near_conditional) {
        std::int32_t distance = 0;
        std::memcpy(&distance, &code[code.size() - sizeof distance], sizeof distance);
        return next + static_cast<std::uint64_t>(std::int64_t{distance});
    }
    bool const is_short = code.size() == 2 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70 || (code[0] & 0xfc) == 0xe0);
    return is_short ? next + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(code[1])}) : 0;
}

} // namespace

Block& Blocks::find(qemu_plugin_tb const* translated, Pages& pages) {
    std::string code; // address, then for each instruction its length and its bytes
    append(code, qemu_plugin_tb_vaddr(translated));
    std::size_t const count = qemu_plugin_tb_n_insns(translated);
    for (std::size_t number = 0; number != count; ++number) {
        std::array<char, max_instruction_bytes> bytes{};
        std::size_t const size =
            qemu_plugin_insn_data(qemu_plugin_tb_get_insn(translated, number), bytes.data(), bytes.size());
        code.push_back(static_cast<char>(size));
        code.append(bytes.data(), size);
    }
    std::unique_ptr<Block>& found = blocks_[code];
    if (found == nullptr) {
        found = std::make_unique<Block>();
        decode(*found, code);
    }
    found->physical = pages.physical(found->address);
    found->page_bits = pages.find(found->address).bits;
    constexpr std::uint64_t page = 4096;
    std::uint64_t const last_page = (found->end - 1) & ~(page - 1);
    if (last_page > found->address) found->physical_next_page = pages.physical(last_page);
    return *found;
}

void Blocks::set_skipped_costs(SampledCosts const& costs, unsigned nodes) {
    for (auto& [code, block] : blocks_) {
        block->skipped_costs.clear();
        if (block->sleeps) continue; // how long is not its own
        for (unsigned node = 0; node != nodes; ++node) {
            std::optional<double> const each = costs.of_block(block->address, node);
            if (!each) break;
            auto const count = static_cast<double>(block->instructions.size());
            block->skipped_costs.push_back(static_cast<Time>(*each * count + 0.5));
        }
    }
}

InstructionsOfBlocks Blocks::take_skipped() {
    InstructionsOfBlocks skipped;
    for (auto& [code, block] : blocks_)
        if (block->skipped != 0) skipped[block->address] += static_cast<double>(std::exchange(block->skipped, 0));
    return skipped;
}

void Blocks::decode(Block& block, std::string const& code) {
    std::memcpy(&block.address, code.data(), sizeof block.address);
    if (block.address == begin_ && begin_ != 0) block.marker = Marker::Begin;
    if (block.address == end_ && end_ != 0) block.marker = Marker::End;
    std::uint64_t address = block.address;
    std::uint64_t line = ~std::uint64_t{0};
    std::span<std::uint8_t const> last;
    for (std::size_t at = sizeof block.address; at < code.size();) {
        auto const size = static_cast<std::size_t>(code[at]);
        last = {reinterpret_cast<std::uint8_t const*>(code.data() + at + 1), size};
        Instruction instruction = decoder_.decode(last, address);
        instruction.length = static_cast<std::uint8_t>(size);
        block.instructions.push_back(instruction);
        block.sleeps = block.sleeps || instruction.type == Class::Halt || instruction.type == Class::Mwait;
        if (instruction.type == Class::Pause) block.extra += costs_.pause;
        if (instruction.type == Class::SerialIo) block.extra += costs_.port;
        block.new_line.push_back(address / Machine::line_bytes != line);
        line = address / Machine::line_bytes;
        address += size;
        at += 1 + size;
    }
    block.end = address;
    if (block.instructions.empty()) return;
    Class const type = block.instructions.back().type;
    block.target = jump_target(last, block.end);
    block.ends_anywhere = type == Class::Serialising || (type == Class::Branch && block.target == 0);
}

} // namespace mxk::simulator
