// The firmware's static tables: found through the root pointer, each one checked (readable, length, checksum) before
// anybody may read it. A table that fails is one WARN that names it, and is then as if it were not there. Only static
// tables: no AML. ACPI 6.5 sections 5.2.6 to 5.2.8.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/physical_reader.hpp"
#include "base/result.hpp"

namespace mxk::acpi {

// Every table begins with a header of this size; a valid table is at least as long.
constexpr std::size_t table_header_bytes = 36;

class Tables {
  public:
    // No tables: what a machine without ACPI has.
    Tables() = default;

    // `rsdp`: the boot protocol's copy or the scan's find. An error if neither XSDT nor RSDT can be used. The result
    // refers to what `reader` gives and to `arena`. Boot core; does not block.
    static Result<Tables> open(std::span<std::byte const> rsdp, PhysicalReader& reader, Arena& arena);

    // The first valid table with this signature (4 characters; the MADT's is "APIC", the FADT's "FACP"), header
    // included, or an empty span. Any core.
    [[nodiscard]] std::span<std::byte const> find(std::string_view signature) const;

  private:
    struct Table {
        std::array<char, 4> signature;
        std::span<std::byte const> bytes;
    };

    explicit Tables(std::span<Table const> tables)
        : tables_(tables) {}

    // `entry_bytes`: 4 in the RSDT, 8 in the XSDT.
    static Result<Tables> read_list(std::span<std::byte const> list, std::size_t entry_bytes, PhysicalReader& reader,
                                    Arena& arena);

    std::span<Table const> tables_;
};

} // namespace mxk::acpi
