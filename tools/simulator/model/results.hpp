// What was simulated, as JSON for tools/mxk: times are cycles, addresses hexadecimal text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tools/simulator/model/core.hpp"
#include "tools/simulator/model/memory_model.hpp"

namespace mxk::simulator {

/// How a measured part was sampled.
struct Sampled {
    Time modelled;                      // of its time
    std::uint64_t skipped_instructions; // that were not modelled
    std::optional<double> error;        // 95 % limit, as a part of its time; nothing: not known

    std::string json() const;
};

class Results {
  public:
    static constexpr std::size_t max_lines = 64; // of a region, those with the max time that was lost at them
    static constexpr std::size_t max_places_per_line = 256; // those with the max number of accesses

    explicit Results(Machine const& machine)
        : machine_(machine) {}

    /// What happened since the statistics of memory and cores were reset, at `begin`, until `end`; of a part that was
    /// sampled, where it was modelled.
    void add_region(Time begin, Time end, Memory const& memory, std::span<Core const* const> cores,
                    std::optional<Sampled> const& sampled = {});

    /// instructions: all that were simulated; host_seconds: that took.
    void write(std::ostream& output, std::uint64_t instructions, double host_seconds) const;

  private:
    Machine const& machine_;
    std::vector<std::string> regions_; // JSON
};

} // namespace mxk::simulator
