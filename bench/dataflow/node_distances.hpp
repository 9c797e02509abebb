// How far nodes are from each other, as the dataflow scheduler wants to know it: as the firmware says (ACPI SLIT), or
// as it is measured on this machine (Falt 2010, section 5.1.2, whose firmware said 10 and 20 whatever the machine):
// what a load takes from each node's first core out of each node's memory, as `bench memory --part matrix` measures it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/frame/progress.hpp"
#include "kernel/console/options.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

enum class DistanceSource : std::uint8_t { Slit, Measured };
constexpr auto value_names(DistanceSource) {
    using Named = console::NamedValue<DistanceSource>;
    return std::array{Named{DistanceSource::Slit, "slit"}, Named{DistanceSource::Measured, "measured"}};
}

// Distances by times of equal things: 10 is the shortest time, on the diagonal or not, and the others are by it,
// rounded, up to 254. A time of 0 was not measured: `firmware` says that one. All of one size.
void distances_by_times(std::span<double const> times, std::span<std::uint8_t const> firmware,
                        std::span<std::uint8_t> distances);

class NodeDistances {
  public:
    // None.
    NodeDistances() = default;
    // Between all nodes of this machine. A node without cores, or without so much free memory, is as far as the
    // firmware says. Errors: no memory, cancelled. The console's task; takes up to some seconds for each pair.
    static Result<NodeDistances> measure(Progress const& progress);

    // For SchedulerOptions::distances: row, the node of the cores; column, that of the memory. Empty: none.
    [[nodiscard]] std::span<std::uint8_t const> span() const { return distances_.span(); }
    void print(TextSink& out) const;

  private:
    NodeArray<std::uint8_t> distances_;
};

} // namespace mxk::bench
