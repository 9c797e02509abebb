// The system locality distance table (ACPI 6.5 section 5.2.17): relative distances between proximity domains, 10 being
// the distance of a domain to itself and 255 "not reachable". They need not be symmetric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

constexpr std::uint8_t local_distance = 10;

// The matrix of a valid table. It may have rows for domains that the SRAT does not name, for empty sockets.
class LocalityDistances {
  public:
    // `matrix`: localities * localities bytes, row by row.
    LocalityDistances(std::size_t localities, std::span<std::byte const> matrix)
        : localities_(localities)
        , matrix_(matrix) {}

    [[nodiscard]] bool covers(std::uint32_t proximity_domain) const { return proximity_domain < localities_; }
    // Both must be covered.
    [[nodiscard]] std::uint8_t between(std::uint32_t from, std::uint32_t to) const {
        return std::to_integer<std::uint8_t>(matrix_[from * localities_ + to]);
    }

  private:
    std::size_t localities_;
    std::span<std::byte const> matrix_;
};

// An error that says what is wrong with the SLIT, or that there is none. Boot core; does not block.
Result<LocalityDistances> locality_distances(Tables const& tables);

} // namespace mxk::acpi
