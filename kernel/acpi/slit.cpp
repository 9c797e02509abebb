#include "kernel/acpi/slit.hpp"

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

constexpr std::size_t localities_offset = table_header_bytes; // 8 bytes
constexpr std::size_t matrix_offset = localities_offset + 8;  // localities * localities bytes
constexpr std::uint64_t max_localities = 0xffff;              // more cannot stand in a table whose length has 32 bits

} // namespace

Result<LocalityDistances> locality_distances(Tables const& tables) {
    auto const slit = tables.find_only("SLIT");
    if (slit.empty()) return Error("ACPI: no SLIT");
    auto const localities = read<std::uint64_t>(slit, localities_offset);
    if (!localities) return Error::of("ACPI: SLIT of {} bytes", slit.size());
    auto const matrix = slit.subspan(matrix_offset);
    if (*localities == 0 || *localities > max_localities || *localities * *localities > matrix.size()) {
        return Error::of("ACPI: SLIT for {} localities in {} bytes", *localities, slit.size());
    }
    LocalityDistances const distances(*localities, matrix);
    auto const count = static_cast<std::uint32_t>(*localities);
    for (std::uint32_t from = 0; from < count; ++from) {
        for (std::uint32_t to = 0; to < count; ++to) {
            std::uint8_t const distance = distances.between(from, to);
            if (from == to ? distance == local_distance : distance >= local_distance) continue;
            return Error::of("ACPI: SLIT with distance {} from {} to {}", distance, from, to);
        }
    }
    return distances;
}

} // namespace mxk::acpi
