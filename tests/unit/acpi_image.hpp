// A machine's firmware for tests: tables compiled from acpi_tables/*.asl by iasl or built record by record, placed in a
// fake physical memory under a root pointer. Every view is a copy of exactly the bytes asked for, so that
// AddressSanitizer sees a parser that reads past what it was given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.hpp"
#include "base/physical_reader.hpp"
#include "base/text.hpp"
#include "kernel/acpi/hmat.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi_test {

using Bytes = std::vector<std::byte>;

template <typename T> void put(Bytes& bytes, std::size_t offset, T value) {
    __builtin_memcpy(bytes.data() + offset, &value, sizeof value);
}

// The repository's root, from where this file stands.
std::filesystem::path repository_root();

inline std::vector<std::string> const no_warnings{};
// What is said of two_nodes_slit, whose rows are told from its columns by that.
inline std::string const one_sided_slit =
    "ACPI: SLIT has another distance on the way back for 1 pairs of domains; taken as it is";

// All bytes of a file; none if it cannot be read.
Bytes content_of(std::filesystem::path const& path);

// The table that iasl makes of tests/unit/acpi_tables/NAME.asl; a test failure and no bytes if iasl is not there.
Bytes compiled(std::string const& name);

// A table of these records, header and checksum included. `fixed_part`: what stands between header and records.
Bytes table(std::string_view signature, std::uint8_t revision, std::vector<Bytes> const& records,
            Bytes const& fixed_part);
Bytes madt(std::vector<Bytes> const& records);
Bytes srat(std::vector<Bytes> const& records, std::uint8_t revision = 3);
Bytes slit(std::uint64_t localities, std::vector<std::uint8_t> const& distances);

Bytes local_apic(std::uint8_t uid, std::uint8_t apic_id, std::uint32_t flags = 1);             // MADT type 0
Bytes local_x2apic(std::uint32_t uid, std::uint32_t apic_id, std::uint32_t flags = 1);         // MADT type 9
Bytes processor_affinity(std::uint32_t domain, std::uint8_t apic_id, std::uint32_t flags = 1); // SRAT type 0
Bytes x2apic_affinity(std::uint32_t domain, std::uint32_t apic_id, std::uint32_t flags = 1);   // SRAT type 2
Bytes memory_affinity(std::uint32_t domain, std::uint64_t start, std::uint64_t bytes, std::uint32_t flags = 1);

Bytes hmat(std::vector<Bytes> const& structures, std::uint8_t revision = 2);
// HMAT type 1. `entries`: initiator by initiator. `flags`: 0 is memory itself.
Bytes locality_matrix(acpi::Measure measure, std::vector<std::uint32_t> const& initiators,
                      std::vector<std::uint32_t> const& targets, std::uint64_t unit,
                      std::vector<std::uint16_t> const& entries, std::uint8_t flags = 0);

// What acpidump writes for these tables (ACPICA's version 20200925).
std::string dump_text(std::vector<Bytes> const& tables);

// A directory of its own, gone with the object.
class TemporaryDirectory {
  public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(TemporaryDirectory const&) = delete;
    TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;

    void write(std::string const& name, Bytes const& content) const;
    void write(std::string const& name, std::string_view content) const;
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// Makes the bytes of a table add up to 0 again.
void fix_checksum(Bytes& table);

class FakeMemory final : public PhysicalReader {
  public:
    std::span<std::byte const> view(PhysicalAddress address, std::size_t bytes) override;
    void place(std::uint64_t address, Bytes bytes) { blocks_[address] = std::move(bytes); }

  private:
    std::map<std::uint64_t, Bytes> blocks_;
    std::vector<std::unique_ptr<std::byte[]>> views_; // live as long as the "kernel"
};

// An arena over the heap, given back when no other lives.
class TestArena {
  public:
    TestArena();
    ~TestArena();
    TestArena(TestArena const&) = delete;
    TestArena& operator=(TestArena const&) = delete;

    Arena arena;
};

// Tables in memory, at addresses of no particular alignment, under an XSDT and an RSDT.
class Firmware {
  public:
    static constexpr std::uint64_t rsdt_address = 0x7fe0'0001;
    static constexpr std::uint64_t xsdt_address = 0x7fe1'0003;
    static constexpr std::uint64_t first_table_address = 0x7ff0'0005;
    static constexpr std::uint64_t table_stride = 0x10'0007;

    // `revision` of the root pointer: 0 leads to the RSDT only.
    explicit Firmware(std::vector<Bytes> const& tables, std::uint8_t revision = 2);

    Result<acpi::Tables> open() { return acpi::Tables::open(rsdp, memory, arena.arena); }
    // open(), and a test failure if that is an error.
    acpi::Tables tables();

    FakeMemory memory;
    Bytes rsdp;
    TestArena arena;
};

// The root pointer of `revision` (20 bytes before revision 2, then 36).
Bytes root_pointer(std::uint8_t revision, std::uint32_t rsdt, std::uint64_t xsdt);

// The log while this lives: lines are kept, not printed.
class LogCapture final : public TextSink {
  public:
    LogCapture();
    ~LogCapture();
    void write(std::string_view text) override { text_ += text; }
    [[nodiscard]] std::vector<std::string> warnings() const;

  private:
    std::string text_;
};

} // namespace mxk::acpi_test
