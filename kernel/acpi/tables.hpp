// The firmware's static tables: found through the root pointer, each one checked (readable, length, checksum) before
// anybody may read it. A table that fails is one WARN that names it, and is then as if it were not there. Only static
// tables: no AML. ACPI 6.5 sections 5.2.6 to 5.2.8. The tables of another machine, dumped to files, are checked and
// read by the same code.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/physical_reader.hpp"
#include "base/result.hpp"
#include "kernel/acpi/warning_sink.hpp"

namespace mxk::acpi {

// Every table begins with a header of this size; a valid table is no shorter.
constexpr std::size_t table_header_bytes = 36;
constexpr std::size_t revision_offset = 8; // 1 byte

// Far beyond any table (a MADT of 65536 cores has 1 MiB): a wild length must not cost minutes of adding up bytes.
constexpr std::size_t max_table_bytes = 64 * MiB;

// What a dump says to be a table.
struct TableImage {
    std::string_view place; // for messages, behind the table's name: "in file SRAT", "from line 12"
    std::span<std::byte const> bytes;
};

class Tables {
  public:
    // No tables: what a machine without ACPI has.
    Tables() = default;

    // `rsdp`: the boot protocol's copy or the scan's find. An error if neither XSDT nor RSDT can be used. The result
    // refers to what `reader` gives, to `warnings` and to `arena`. Boot core; does not block.
    static Result<Tables> open(std::span<std::byte const> rsdp, PhysicalReader& reader, Arena& arena,
                               WarningSink& warnings = log_warnings());

    // The tables of a machine that is only looked at, in the order in which its XSDT has them. Who reads them warns
    // into `warnings`, too. The result refers to the images, to `warnings` and to `arena`. The only error is lack of
    // memory. Any core; does not block.
    static Result<Tables> of_images(std::span<TableImage const> images, WarningSink& warnings, Arena& arena);

    // The first valid table with this signature (4 characters; the MADT's is "APIC", the FADT's "FACP"), header
    // included, or an empty span. Any core.
    [[nodiscard]] std::span<std::byte const> find(std::string_view signature) const;
    // The same for a table that a machine has once: further ones are a WARN.
    [[nodiscard]] std::span<std::byte const> find_only(std::string_view signature) const;

    // Where those who read these tables warn.
    [[nodiscard]] WarningSink& warnings() const { return *warnings_; }
    [[nodiscard]] Tables with_warnings(WarningSink& warnings) const { return {tables_, warnings}; }

  private:
    struct Table {
        std::array<char, 4> signature;
        std::span<std::byte const> bytes;
    };

    Tables(std::span<Table const> tables, WarningSink& warnings)
        : tables_(tables)
        , warnings_(&warnings) {}

    // `signature`: XSDT or RSDT, whose entries have 8 and 4 bytes.
    static Result<Tables> read_list(std::span<std::byte const> list, std::string_view signature, PhysicalReader& reader,
                                    Arena& arena, WarningSink& warnings);

    std::span<Table const> tables_;
    WarningSink* warnings_ = &log_warnings();
};

// Tables::open(), and where that is an error a WARN and no tables: the machine then is one core on one node.
Tables open_or_warn(std::span<std::byte const> rsdp, PhysicalReader& reader, Arena& arena,
                    WarningSink& warnings = log_warnings());

} // namespace mxk::acpi
