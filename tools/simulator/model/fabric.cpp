#include "tools/simulator/model/fabric.hpp"

#include <algorithm>

namespace mxk::simulator {

Fabric::Fabric(Machine const& machine)
    : machine_(machine)
    , traffic_(std::size_t{machine.nodes} * machine.nodes) {
    double const hertz = static_cast<double>(machine.hertz);
    for (unsigned number = 0; number != machine.nodes * machine.channels; ++number)
        channels_.emplace_back(machine, number);
    for (double const rate : machine.link_bytes_per_second) links_.emplace_back(std::max(rate, 1.0) / hertz);
}

DramChannel& Fabric::channel_of(unsigned home, std::uint64_t line) {
    // Neighbours are on different channels, and strides of powers of two are, too.
    std::uint64_t const mixed = line ^ line >> 7 ^ line >> 14;
    return channels_[home * machine_.channels + mixed % machine_.channels];
}

Time Fabric::read(unsigned home, std::uint64_t line, unsigned to, Time start) {
    Time const latency = machine_.memory_latency[machine_.pair(to, home)];
    if (!is_modelled_) return start + latency;
    DramChannel& channel = channel_of(home, line);
    Time const delay = channel.read(start, line);
    Time const idle = latency - channel.idle_delay();
    return start + idle + delay + move(home, to, start + delay);
}

void Fabric::write_back(unsigned home, std::uint64_t line, unsigned from, Time start) {
    if (!is_modelled_) return;
    Time const delay = move(from, home, start);
    channel_of(home, line).write(start + delay, line);
}

Time Fabric::move(unsigned from, unsigned to, Time start) {
    if (!is_modelled_) return 0;
    traffic_[machine_.pair(from, to)] += Machine::line_bytes;
    return from == to ? 0 : links_[machine_.pair(from, to)].book(start, Machine::line_bytes);
}

void Fabric::reset_statistics() {
    std::fill(traffic_.begin(), traffic_.end(), 0);
    for (DramChannel& channel : channels_) channel.reset_count();
    for (Bandwidth& link : links_) link.reset_count();
}

} // namespace mxk::simulator
