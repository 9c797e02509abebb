#include "tools/simulator/model/dram_channel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mxk::simulator {
namespace {

/// Of a bank's bookings: so many that a queue of more accesses than cores have buffers for fits.
std::uint64_t bank_buckets(double activation_cycles) {
    constexpr double bucket_cycles = 64;
    constexpr double queue = 16;
    return std::max(std::uint64_t{256},
                    std::bit_ceil(static_cast<std::uint64_t>(activation_cycles / bucket_cycles * queue)));
}

/// With the mean gap between two lines.
double bus_bytes_per_cycle(Machine const& machine) {
    double const line_cycles = static_cast<double>(Machine::line_bytes) * static_cast<double>(machine.hertz) /
                               machine.channel_bytes_per_second;
    double const gap = machine.dram.banks != 0 ? in_cycles(machine.dram.burst_gap) : 0;
    return static_cast<double>(Machine::line_bytes) / (line_cycles + gap);
}

} // namespace

DramChannel::DramChannel(Machine const& machine, unsigned number)
    : dram_(machine.dram)
    , bytes_per_cycle_(machine.channel_bytes_per_second / static_cast<double>(machine.hertz))
    , lines_per_row_(std::max<std::uint64_t>(dram_.row_bytes / Machine::line_bytes, 1) * machine.channels)
    , phase_(dram_.refresh_interval * number / (machine.nodes * machine.channels))
    , turn_bytes_(static_cast<std::uint64_t>(std::llround(in_cycles(dram_.turn_round) * bus_bytes_per_cycle(machine))))
    , bus_(bus_bytes_per_cycle(machine)) {
    double const cycle = in_cycles(std::max(dram_.bank_cycle, per_cycle));
    banks_.resize(dram_.banks, Bank{Bandwidth(static_cast<double>(Machine::line_bytes) / cycle, bank_buckets(cycle))});
}

/// Time as it passes for banks and bus, which stand still in a refresh.
Time DramChannel::without_refreshes(Time at) const {
    if (dram_.refresh == 0) return at;
    Time const count = (at + phase_) / dram_.refresh_interval;
    Time const since = (at + phase_) % dram_.refresh_interval;
    return count * (dram_.refresh_interval - dram_.refresh) + std::max(since, dram_.refresh) - dram_.refresh;
}

/// The other way: an end of a refresh, not its begin.
Time DramChannel::with_refreshes(Time at) const {
    if (dram_.refresh == 0) return at;
    Time const working = dram_.refresh_interval - dram_.refresh;
    return at / working * dram_.refresh_interval + dram_.refresh + at % working - phase_;
}

/// Until another row of the bank is needed, a time after the last access, or a refresh, which closes all.
bool DramChannel::is_open(Bank const& bank, Time at) const {
    Time const distance = at > bank.used ? at - bank.used : bank.used - at;
    if (bank.used == 0 || distance >= dram_.row_open) return false;
    Time const working = dram_.refresh_interval - dram_.refresh;
    return dram_.refresh == 0 || at / working == bank.used / working;
}

/// When the line's row is open, if it is asked for at that time.
Time DramChannel::open_row(Time at, std::uint64_t line) {
    std::uint64_t const row = line / lines_per_row_;
    Bank& bank = banks_[(row ^ row >> 5 ^ row >> 10 ^ row >> 15) % banks_.size()];
    bool const open = is_open(bank, at);
    if (open && bank.row == row) {
        bank.used = std::max(bank.used, at);
        return at < bank.asked ? at : std::max(at, bank.opened); // an earlier access would have opened it earlier
    }
    Time const close = open ? dram_.activate : 0;
    Time const wait = dram_.bank_cycle != 0 ? bank.time.book(at, Machine::line_bytes) : 0;
    bank.row = row;
    bank.asked = at;
    bank.opened = bank.used = at + std::max(wait, close) + dram_.activate;
    return bank.opened;
}

Time DramChannel::read(Time at, std::uint64_t line) {
    bytes_ += Machine::line_bytes;
    if (banks_.empty()) return bus_.book(at, Machine::line_bytes);
    read_since_writes_ = true;
    Time const ready = open_row(without_refreshes(at), line);
    return with_refreshes(ready + bus_.book(ready, Machine::line_bytes)) - at;
}

/// Writes wait until there are enough of them to change the bus's direction.
void DramChannel::write(Time at, std::uint64_t line) {
    bytes_ += Machine::line_bytes;
    if (banks_.empty()) {
        bus_.book(at, Machine::line_bytes);
        return;
    }
    Time const ready = open_row(without_refreshes(at), line);
    if (++waiting_writes_ < dram_.write_batch) return;
    bus_.book(ready, waiting_writes_ * Machine::line_bytes + (read_since_writes_ ? turn_bytes_ : 0));
    waiting_writes_ = 0;
    read_since_writes_ = false;
}

} // namespace mxk::simulator
