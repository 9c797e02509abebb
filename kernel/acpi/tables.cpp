#include "kernel/acpi/tables.hpp"

#include <algorithm>
#include <cstdint>

#include "base/bytes.hpp"
#include "kernel/acpi/root_pointer.hpp"

namespace mxk::acpi {
namespace {

// ACPI 6.5 table 5.4.
struct [[gnu::packed]] TableHeader {
    std::array<char, 4> signature;    // 0
    std::uint32_t length;             // 4: of the whole table
    std::uint8_t revision;            // 8
    std::uint8_t checksum;            // 9: makes all bytes add up to 0
    std::array<char, 6> oem_id;       // 10
    std::array<char, 8> oem_table_id; // 16
    std::uint32_t oem_revision;       // 24
    std::uint32_t compiler_id;        // 28
    std::uint32_t compiler_revision;  // 32
};
static_assert(sizeof(TableHeader) == table_header_bytes);

// For messages: what the firmware wrote is not sent to a terminal as it is.
FixedText<4> printable(std::array<char, 4> const& signature) {
    FixedText<4> text;
    for (char const c : signature) text.append(c >= ' ' && c <= '~' ? std::string_view(&c, 1) : "?");
    return text;
}

// `place`: for messages, where the table stands.
Result<std::span<std::byte const>> checked_table(PhysicalReader& reader, PhysicalAddress address,
                                                 std::string_view place) {
    auto const header = read<TableHeader>(reader.view(address, sizeof(TableHeader)));
    if (!header) return Error::of("table {}: not readable", place);
    FixedText<4> const name = printable(header->signature);
    std::uint32_t const length = header->length;
    if (length < sizeof(TableHeader) || length > max_table_bytes) {
        return Error::of("table {} {}: impossible length {}", name.view(), place, length);
    }
    auto const bytes = reader.view(address, length);
    if (bytes.empty()) return Error::of("table {} {}: its {} bytes are not readable", name.view(), place, length);
    if (byte_sum(bytes) != 0) return Error::of("table {} {}: wrong checksum", name.view(), place);
    return bytes;
}

Result<std::span<std::byte const>> checked_table(PhysicalReader& reader, PhysicalAddress address) {
    FixedText<32> place;
    format(place, "at {}", address);
    return checked_table(reader, address, place.view());
}

// A memory that holds one table, at address 0.
class ImageReader final : public PhysicalReader {
  public:
    explicit ImageReader(std::span<std::byte const> bytes)
        : bytes_(bytes) {}

    std::span<std::byte const> view(PhysicalAddress address, std::size_t bytes) override {
        if (raw(address) > bytes_.size() || bytes > bytes_.size() - raw(address)) return {};
        return bytes_.subspan(raw(address), bytes);
    }

  private:
    std::span<std::byte const> bytes_;
};

std::string_view signature_of(std::span<std::byte const> table) {
    return {reinterpret_cast<char const*>(table.data()), sizeof(TableHeader::signature)};
}

Result<std::span<std::byte const>> checked_list(PhysicalReader& reader, std::optional<PhysicalAddress> address,
                                                std::string_view signature) {
    if (!address) return Error::of("the RSDP names no {}", signature);
    std::span<std::byte const> const table = MXK_TRY(checked_table(reader, *address));
    if (signature_of(table) != signature) return Error::of("table at {}: not the {}", *address, signature);
    return table;
}

} // namespace

Result<Tables> Tables::read_list(std::span<std::byte const> list, std::size_t entry_bytes, PhysicalReader& reader,
                                 Arena& arena) {
    auto const entries = list.subspan(sizeof(TableHeader));
    std::span<Table> const tables = MXK_TRY(arena.array<Table>(entries.size() / entry_bytes));
    std::size_t count = 0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        std::uint64_t const address = entry_bytes == sizeof(std::uint64_t)
                                          ? *read<std::uint64_t>(entries, i * entry_bytes)
                                          : *read<std::uint32_t>(entries, i * entry_bytes);
        auto const table = checked_table(reader, PhysicalAddress{address});
        if (table) {
            tables[count++] = {*read<std::array<char, 4>>(table.value()), table.value()};
        } else {
            log_warnings().warn("ACPI: {}; skipped", table.error().message());
        }
    }
    return Tables(tables.first(count), log_warnings());
}

Result<Tables> Tables::of_images(std::span<TableImage const> images, WarningSink& warnings, Arena& arena) {
    std::span<Table> const tables = MXK_TRY(arena.array<Table>(images.size()));
    std::size_t count = 0;
    for (TableImage const& image : images) {
        ImageReader reader(image.bytes);
        auto const table = checked_table(reader, PhysicalAddress{0}, image.place);
        if (table) {
            tables[count++] = {*read<std::array<char, 4>>(table.value()), table.value()};
        } else {
            warnings.warn("ACPI: {}; skipped", table.error().message());
        }
    }
    return Tables(tables.first(count), warnings);
}

Result<Tables> Tables::open(std::span<std::byte const> rsdp, PhysicalReader& reader, Arena& arena) {
    RootPointer const root = MXK_TRY(parse_root_pointer(rsdp));
    if (root.xsdt) {
        auto const xsdt = checked_list(reader, root.xsdt, "XSDT");
        if (xsdt) return read_list(xsdt.value(), sizeof(std::uint64_t), reader, arena);
        log_warnings().warn("ACPI: {}; using the RSDT", xsdt.error().message());
    }
    auto const rsdt = checked_list(reader, root.rsdt, "RSDT");
    if (!rsdt) return Error::of("ACPI: {}", rsdt.error().message());
    return read_list(rsdt.value(), sizeof(std::uint32_t), reader, arena);
}

std::span<std::byte const> Tables::find(std::string_view signature) const {
    for (Table const& table : tables_) {
        if (std::string_view(table.signature.data(), table.signature.size()) == signature) return table.bytes;
    }
    return {};
}

std::span<std::byte const> Tables::find_only(std::string_view signature) const {
    auto const count = std::count_if(tables_.begin(), tables_.end(), [=](Table const& table) {
        return std::string_view(table.signature.data(), table.signature.size()) == signature;
    });
    if (count > 1) warnings().warn("ACPI: {} tables {}; the first one is taken", count, signature);
    return find(signature);
}

} // namespace mxk::acpi
