// A memory channel with its DRAM: a bus that changes between reads and writes, banks with one open row each, and
// refreshes, which stop all of it. Bookings may be out of order in time, as those of Bandwidth; an access that waits
// for its bank leaves the bus to others, as a controller does that reorders. Without banks it is only a Bandwidth.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/bandwidth.hpp"
#include "tools/simulator/model/machine_model.hpp"

namespace mxk::simulator {

class DramChannel {
  public:
    /// The number decides when it refreshes, so that not all channels do at the same time. machine must outlive it.
    DramChannel(Machine const& machine, unsigned number);

    /// A line is read: by how much later than from an open row of an idle channel.
    Time read(Time at, std::uint64_t line);
    /// A line is written; nobody waits for that.
    void write(Time at, std::uint64_t line);

    /// Whether its bus has time for what nobody waits for.
    bool is_half_free(Time at) const { return bus_.is_half_free(banks_.empty() ? at : without_refreshes(at)); }

    /// What read() answers for a row of an idle bank that is closed.
    Time idle_delay() const { return banks_.empty() ? 0 : dram_.activate; }
    std::uint64_t bytes() const { return bytes_; }
    double bytes_per_cycle() const { return bytes_per_cycle_; }
    void reset_count() { bytes_ = 0; }

  private:
    struct Bank {
        Bandwidth time; // a line for each activation
        std::uint64_t row = 0;
        Time asked = 0;  // when the access began that opened the row
        Time opened = 0; // the row's first data
        Time used = 0;   // the last access; 0: none
    };

    Time without_refreshes(Time at) const;
    Time with_refreshes(Time at) const;
    Time open_row(Time at, std::uint64_t line);
    bool is_open(Bank const& bank, Time at) const;

    DramParameters const& dram_;
    double bytes_per_cycle_;
    std::uint64_t lines_per_row_; // of all channels of the node
    Time phase_;                  // of the refreshes
    std::uint64_t turn_bytes_;    // what the bus could carry while it changes to writes and back
    Bandwidth bus_;
    std::vector<Bank> banks_;
    unsigned waiting_writes_ = 0;
    bool read_since_writes_ = false;
    std::uint64_t bytes_ = 0;
};

} // namespace mxk::simulator
