// What data passes on its way: memory channels of each node and links between nodes, with what they carried.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/bandwidth.hpp"
#include "tools/simulator/model/dram_channel.hpp"
#include "tools/simulator/model/machine_model.hpp"

namespace mxk::simulator {

class Fabric {
  public:
    explicit Fabric(Machine const& machine);

    /// A line from memory of a node to a core's node: when it is there if it is asked for at `start`.
    Time read(unsigned home, std::uint64_t line, unsigned to, Time start);
    /// Whether the line's channel has time for a read that nobody waits for.
    bool has_time_for(unsigned home, std::uint64_t line, Time at) { return channel_of(home, line).is_half_free(at); }
    /// A line is written back: nobody waits for that, but it takes bandwidth.
    void write_back(unsigned home, std::uint64_t line, unsigned from, Time start);
    /// A line from a cache of a node to one of another or the same node: what it waits for the link.
    Time move(unsigned from, unsigned to, Time start);

    /// Whether what passes waits for what passed before, and counts, as at first.
    void set_modelled(bool is_modelled) { is_modelled_ = is_modelled; }

    std::uint64_t traffic(unsigned from, unsigned to) const { return traffic_[machine_.pair(from, to)]; }
    DramChannel const& channel(unsigned node, unsigned number) const {
        return channels_[node * machine_.channels + number];
    }
    void reset_statistics();

  private:
    DramChannel& channel_of(unsigned home, std::uint64_t line);

    Machine const& machine_;
    std::vector<DramChannel> channels_; // node by node
    std::vector<Bandwidth> links_;      // [from][to]
    std::vector<std::uint64_t> traffic_;
    bool is_modelled_ = true;
};

} // namespace mxk::simulator
