// The heterogeneous memory attribute table (ACPI 6.5 section 5.2.28), as far as it says how long an access from one
// proximity domain to the memory of another takes and how much passes: its System Locality Latency and Bandwidth
// Information structures (5.2.28.4). Those about memory-side caches, and the other types of structure, are stepped
// over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

// What a matrix is about, numbered as in the table. "Access": reading and writing alike.
enum class Measure : std::uint8_t {
    AccessLatency = 0,
    ReadLatency = 1,
    WriteLatency = 2,
    AccessBandwidth = 3,
    ReadBandwidth = 4,
    WriteBandwidth = 5,
};

constexpr bool is_latency(Measure measure) {
    return measure <= Measure::WriteLatency;
}

// The firmware says that this way does not exist.
constexpr std::uint64_t unreachable_memory = UINT64_MAX;

// One structure: a matrix of initiators (where the access comes from) and targets (where the memory is).
class LocalityMatrix {
  public:
    LocalityMatrix() = default;
    // The matrix in `structure`, which is a whole one of type 1, or nothing if it is too short for what it says to
    // have. `revision`: the table's, 1 or higher.
    static std::optional<LocalityMatrix> parse(std::span<std::byte const> structure, std::uint8_t revision);

    [[nodiscard]] Measure measure() const { return measure_; }
    [[nodiscard]] std::size_t initiators() const { return initiators_; }
    [[nodiscard]] std::size_t targets() const { return targets_; }
    // The proximity domains; `i` and `j` count from 0.
    [[nodiscard]] std::uint32_t initiator(std::size_t i) const;
    [[nodiscard]] std::uint32_t target(std::size_t j) const;

    // Picoseconds or MB/s (10^6 bytes); `unreachable_memory`; or nothing where the firmware gives no value or one that
    // no machine has.
    [[nodiscard]] std::optional<std::uint64_t> between(std::size_t i, std::size_t j) const;
    [[nodiscard]] bool is_impossible(std::size_t i, std::size_t j) const;

  private:
    [[nodiscard]] std::uint16_t entry(std::size_t i, std::size_t j) const;

    std::span<std::byte const> structure_;
    Measure measure_{};
    std::size_t initiators_ = 0;
    std::size_t targets_ = 0;
    std::uint64_t unit_ = 0; // of an entry
    bool old_units_ = false;
};

// The matrices about memory itself, in the table's order; none without an HMAT. Warns about an HMAT that is malformed.
// The only error is lack of memory. Boot core; does not block.
Result<std::span<LocalityMatrix const>> locality_matrices(Tables const& tables, Arena& arena);

} // namespace mxk::acpi
