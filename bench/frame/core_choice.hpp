// Which cores a benchmark of costs uses: the one that is measured, another one of its node, and one of the nearest
// other node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::bench {

// `second` is `first` where a measure needs only one.
struct CorePair {
    CoreId first{};
    CoreId second{};
};

// What a measure needs besides the core that is measured: nothing, another core of its node, one of another node, or
// another one, of its node if there is one.
enum class Placement : std::uint8_t { OneCore, SameNode, OtherNode, TwoCores };

class CoreChoice {
  public:
    // `chosen`: nothing (core 0 is measured), the core to measure, or that and the other one. What is not chosen is the
    // next core of the same node, and the first one of the nearest other node that has any. Errors: no such core, one
    // core twice, too many.
    static Result<CoreChoice> choose(topology::Topology const& topology, std::span<std::uint32_t const> chosen);

    // An error says what the machine, or the pair chosen, does not have.
    [[nodiscard]] Result<CorePair> cores_for(Placement placement) const;

  private:
    CoreId first_{};
    std::optional<CoreId> same_node_;
    std::optional<CoreId> other_node_;
};

} // namespace mxk::bench
