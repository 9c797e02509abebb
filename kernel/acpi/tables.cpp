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
static_assert(sizeof(TableHeader) == 36 && table_header_bytes == 36);

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

constexpr std::string_view xsdt_signature = "XSDT";
constexpr std::string_view rsdt_signature = "RSDT";

// Each entry is compared with those before it.
constexpr std::size_t max_listed_tables = 4096;

bool is_list(std::span<std::byte const> table) {
    return signature_of(table) == xsdt_signature || signature_of(table) == rsdt_signature;
}

PhysicalAddress entry(std::span<std::byte const> entries, std::size_t i, std::size_t entry_bytes) {
    if (entry_bytes == sizeof(std::uint64_t)) return PhysicalAddress{*read<std::uint64_t>(entries, i * entry_bytes)};
    return PhysicalAddress{*read<std::uint32_t>(entries, i * entry_bytes)};
}

Result<std::span<std::byte const>> checked_list(PhysicalReader& reader, std::optional<PhysicalAddress> address,
                                                std::string_view signature) {
    if (!address) return Error::of("the RSDP names no {}", signature);
    std::span<std::byte const> const table = MXK_TRY(checked_table(reader, *address));
    if (signature_of(table) != signature) return Error::of("table at {}: not the {}", *address, signature);
    return table;
}

} // namespace

Result<Tables> Tables::read_list(std::span<std::byte const> list, std::string_view signature, PhysicalReader& reader,
                                 Arena& arena, WarningSink& warnings) {
    auto const entries = list.subspan(sizeof(TableHeader));
    std::size_t const entry_bytes = signature == xsdt_signature ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    if (entries.size() % entry_bytes != 0) {
        warnings.warn("ACPI: {} with {} bytes behind its last whole entry; not read", signature,
                      entries.size() % entry_bytes);
    }
    std::size_t const listed = entries.size() / entry_bytes;
    if (listed > max_listed_tables) {
        warnings.warn("ACPI: {} with {} entries, expected up to {}; the rest is not read", signature, listed,
                      max_listed_tables);
    }
    std::span<Table> const tables = MXK_TRY(arena.array<Table>(std::min(listed, max_listed_tables)));
    std::span<PhysicalAddress> const addresses = MXK_TRY(arena.array<PhysicalAddress>(tables.size()));
    for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i] = entry(entries, i, entry_bytes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        auto const before = addresses.first(i);
        if (std::find(before.begin(), before.end(), addresses[i]) != before.end()) {
            warnings.warn("ACPI: {} entry {}: the table at {} stands in it before; skipped", signature, i,
                          addresses[i]);
            continue;
        }
        auto const table = checked_table(reader, addresses[i]);
        if (!table) {
            warnings.warn("ACPI: {} entry {}: {}; skipped", signature, i, table.error().message());
        } else if (is_list(table.value())) {
            warnings.warn("ACPI: {} entry {}: table at {} is a list of tables; skipped", signature, i, addresses[i]);
        } else {
            tables[count++] = {*read<std::array<char, 4>>(table.value()), table.value()};
        }
    }
    return Tables(tables.first(count), warnings);
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

Result<Tables> Tables::open(std::span<std::byte const> rsdp, PhysicalReader& reader, Arena& arena,
                            WarningSink& warnings) {
    RootPointer const root = MXK_TRY(parse_root_pointer(rsdp, warnings));
    if (root.xsdt) {
        auto const xsdt = checked_list(reader, root.xsdt, xsdt_signature);
        if (xsdt) return read_list(xsdt.value(), xsdt_signature, reader, arena, warnings);
        warnings.warn("ACPI: {}; using the RSDT", xsdt.error().message());
    }
    auto const rsdt = checked_list(reader, root.rsdt, rsdt_signature);
    if (!rsdt) return Error::of("ACPI: {}", rsdt.error().message());
    return read_list(rsdt.value(), rsdt_signature, reader, arena, warnings);
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

Tables open_or_warn(std::span<std::byte const> rsdp, PhysicalReader& reader, Arena& arena, WarningSink& warnings) {
    auto const tables = Tables::open(rsdp, reader, arena, warnings);
    if (tables) return tables.value();
    warnings.warn("{}: going on with one core on one node", tables.error().message());
    return Tables().with_warnings(warnings);
}

} // namespace mxk::acpi
