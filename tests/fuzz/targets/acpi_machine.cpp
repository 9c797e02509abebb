#include "tests/fuzz/targets/acpi_machine.hpp"

#include <array>
#include <string_view>

#include "base/bytes.hpp"

namespace mxk::fuzz {
namespace {

using acpi_test::Bytes;
using acpi_test::put;

constexpr std::array<std::string_view, 8> signatures = {"APIC", "SRAT", "SLIT", "HMAT",
                                                        "FACP", "HPET", "MCFG", "\x1b[2J"};
constexpr std::uint8_t flag_memory = 1;
constexpr std::uint8_t flag_repair = 2;
constexpr std::uint8_t flag_dump = 4;

Bytes copy_of(InputBytes bytes) {
    return {bytes.begin(), bytes.end()};
}

// Makes the `bytes` from `offset` on add up to 0, by the byte at `checksum` behind it. False if they are not there.
bool repair_sum(Bytes& memory, std::size_t offset, std::size_t bytes, std::size_t checksum) {
    if (offset > memory.size() || bytes > memory.size() - offset || checksum >= bytes) return false;
    put(memory, offset + checksum, std::uint8_t{0});
    put(memory, offset + checksum, static_cast<std::uint8_t>(-byte_sum(std::span(memory).subspan(offset, bytes))));
    return true;
}

// Of the table at physical `address`, as far as it lies in the memory; its offset and length.
struct Place {
    std::size_t offset = 0;
    std::size_t bytes = 0;
};
Place repair_table(Bytes& memory, std::uint64_t address) {
    constexpr std::size_t checksum = 9;
    std::uint64_t const offset = address - AcpiMachine::memory_start;
    auto const length = read<std::uint32_t>(memory, offset + 4 < offset ? SIZE_MAX : offset + 4);
    if (!length || !repair_sum(memory, offset, *length, checksum)) return {};
    return {offset, *length};
}

// The lists first and the tables after them, then the lists again: where they overlap, the last one written is right.
template <typename Address> void repair_list(Bytes& memory, std::uint64_t address) {
    Place const list = repair_table(memory, address);
    for (std::size_t at = acpi::table_header_bytes; at + sizeof(Address) <= list.bytes; at += sizeof(Address)) {
        repair_table(memory, *read<Address>(memory, list.offset + at));
    }
    repair_table(memory, address);
}

void repair_checksums(Bytes& memory) {
    auto const rsdt = read<std::uint32_t>(memory, 16);
    auto const xsdt = read<std::uint64_t>(memory, 24);
    if (rsdt) repair_list<std::uint32_t>(memory, *rsdt);
    if (xsdt) repair_list<std::uint64_t>(memory, *xsdt);
    repair_sum(memory, 0, 20, 8);
    repair_sum(memory, 0, read<std::uint32_t>(memory, 20).value_or(0), 32);
}

} // namespace

AcpiMachine::AcpiMachine(Input input) {
    auto const flags = input.take<std::uint8_t>();
    if ((flags & flag_dump) != 0) {
        InputBytes const text = input.take_rest();
        dump = {reinterpret_cast<char const*>(text.data()), text.size()};
    } else if ((flags & flag_memory) != 0) {
        take_memory(input, (flags & flag_repair) != 0);
    } else {
        take_tables(input);
    }
}

void AcpiMachine::take_tables(Input& input) {
    auto const revision = input.take<std::uint8_t>();
    boot_core = ApicId{input.take<std::uint32_t>()};
    stopped_cores = input.take<std::uint8_t>();
    for (unsigned ranges = input.take<std::uint8_t>() % 8; ranges > 0; --ranges) {
        std::uint64_t const start = input.take<std::uint32_t>() * 4 * KiB;
        usable.add({PhysicalAddress{start}, input.take<std::uint32_t>() * 4 * KiB});
    }
    while (!input.empty()) {
        std::string_view const signature = signatures[input.take<std::uint8_t>() % signatures.size()];
        Input body(input.take_bytes(input.take<std::uint16_t>()));
        auto const table_revision = body.take<std::uint8_t>();
        Bytes const table = acpi_test::table(signature, table_revision, {}, copy_of(body.take_rest()));
        tables.push_back(table); // a copy: without the room that a vector leaves behind its end;
    }
    acpi_test::Firmware firmware(tables, revision);
    memory = std::move(firmware.memory);
    root_pointer = std::move(firmware.rsdp);
}

void AcpiMachine::take_memory(Input& input, bool repair) {
    boot_core = ApicId{input.take<std::uint32_t>()};
    stopped_cores = input.take<std::uint8_t>();
    Bytes image = copy_of(input.take_rest());
    if (repair) repair_checksums(image);
    memory_bytes = image.size();
    root_pointer = copy_of(std::span(image).first(std::min<std::size_t>(image.size(), 36)));
    memory.place(memory_start, std::move(image));
}

} // namespace mxk::fuzz
