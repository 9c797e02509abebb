// A machine as an input of the ACPI target describes it. Byte 0 chooses the layout of the rest:
//
//   bit 2 = 1, dump:    text of acpidump to the end. Else
//   bit 0 = 0, tables:  u8 revision of the root pointer, u32 APIC id of the boot core, u8 which cores do not start (one
//                       bit for every eighth core), u8 number of RAM ranges (0-7), each u32 first frame, u32 frames;
//                       then tables to the end: u8 signature (an index), u16 bytes, u8 revision, what stands behind the
//                       header. Signatures, lengths and checksums are made right, so that what is inside is reached.
//   bit 0 = 1, memory:  u32 APIC id, u8 which cores do not start; the rest is physical memory from 0x1000 on, beginning
//                       with the root pointer. Nothing is made right but, if bit 1 is set, the checksums.
#pragma once

#include <cstdint>

#include "base/range_set.hpp"
#include "tests/fuzz/targets/input.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::fuzz {

struct AcpiMachine {
    static constexpr std::uint64_t memory_start = 0x1000;

    explicit AcpiMachine(Input input);

    [[nodiscard]] bool starts(CoreId core) const {
        return index(core) == 0 || ((stopped_cores >> (index(core) % 8)) & 1) == 0;
    }

    acpi_test::FakeMemory memory;
    acpi_test::Bytes root_pointer;
    std::size_t memory_bytes = 0; // from memory_start on
    ApicId boot_core{};
    std::uint8_t stopped_cores = 0;
    RangeSet usable;
    std::vector<acpi_test::Bytes> tables; // only of the tables layout
    std::string_view dump;                // only of the dump layout

  private:
    void take_tables(Input& input);
    void take_memory(Input& input, bool repair);
};

} // namespace mxk::fuzz
