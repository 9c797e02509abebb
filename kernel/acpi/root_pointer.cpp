#include "kernel/acpi/root_pointer.hpp"

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

// ACPI 6.5 table 5.3. Revision 0 (ACPI 1.0) ends before `length`.
struct [[gnu::packed]] Rsdp {
    std::array<char, 8> signature;        // 0
    std::uint8_t checksum;                // 8: over the first 20 bytes
    std::array<char, 6> oem_id;           // 9
    std::uint8_t revision;                // 15
    std::uint32_t rsdt;                   // 16
    std::uint32_t length;                 // 20
    std::uint64_t xsdt;                   // 24
    std::uint8_t extended_checksum;       // 32: over `length` bytes
    std::array<std::uint8_t, 3> reserved; // 33
};
static_assert(sizeof(Rsdp) == 36);

constexpr std::size_t first_part_bytes = offsetof(Rsdp, length);
constexpr std::string_view signature = "RSD PTR ";

bool is_first_part_valid(std::span<std::byte const> rsdp) {
    auto const found = read<std::array<char, 8>>(rsdp);
    return found && std::string_view(found->data(), found->size()) == signature && rsdp.size() >= first_part_bytes &&
           byte_sum(rsdp.first(first_part_bytes)) == 0;
}

// What keeps the part that ACPI 2.0 added from being used, or nothing.
std::string_view fault_of_extension(std::span<std::byte const> bytes, std::optional<Rsdp> const& rsdp) {
    if (!rsdp) return "it is cut short";
    if (rsdp->length < sizeof(Rsdp) || rsdp->length > bytes.size()) return "its length is wrong";
    if (byte_sum(bytes.first(rsdp->length)) != 0) return "the extended checksum is wrong";
    if (rsdp->xsdt == 0) return "it names no XSDT";
    return {};
}

} // namespace

Result<RootPointer> parse_root_pointer(std::span<std::byte const> rsdp, WarningSink& warnings) {
    if (rsdp.size() < first_part_bytes)
        return Error::of("ACPI: RSDP of {} bytes, expected no less than 20", rsdp.size());
    if (!is_first_part_valid(rsdp)) return Error("ACPI: RSDP with a wrong signature or checksum");

    RootPointer result;
    auto const rsdt = *read<std::uint32_t>(rsdp, offsetof(Rsdp, rsdt));
    if (rsdt != 0) result.rsdt = PhysicalAddress{rsdt};

    auto const whole = read<Rsdp>(rsdp);
    std::string_view const fault = fault_of_extension(rsdp, whole);
    if (auto const revision = *read<std::uint8_t>(rsdp, offsetof(Rsdp, revision)); revision < 2) {
        // Of that revision the first 20 bytes are all. What follows is looked at only if nothing else is left.
        if (result.rsdt || !fault.empty()) return result;
        warnings.warn("ACPI: RSDP of revision {} names no RSDT, but a valid XSDT: it is taken", revision);
    }
    if (fault.empty()) {
        result.xsdt = PhysicalAddress{whole->xsdt};
    } else {
        warnings.warn("ACPI: no XSDT from the RSDP, {}: using the RSDT", fault);
    }
    return result;
}

std::span<std::byte const> scan_for_root_pointer(PhysicalReader& reader, PhysicalAddress start, std::size_t bytes) {
    constexpr std::size_t step = 16;
    for (std::size_t offset = 0; offset + first_part_bytes <= bytes; offset += step) {
        PhysicalAddress const here = start + offset;
        auto const first_part = reader.view(here, first_part_bytes);
        if (!is_first_part_valid(first_part)) continue;
        auto const whole = offset + sizeof(Rsdp) <= bytes ? reader.view(here, sizeof(Rsdp)) : first_part;
        return whole.empty() ? first_part : whole;
    }
    return {};
}

} // namespace mxk::acpi
