// On which cores something runs. A place in a run is not a core id: place i of a set is its i-th core. What people type
// behind --cores becomes a CoreSets, an option's type, when it is parsed, and sets of ids when it is resolved against
// the machine. Several sets stand with '/' between; each is one of
//
//     1,2,4  1-4        counts, one set for each: the first cores by id; as `--cores` has always been
//     0-7  0,2-5  0,2   a list with core 0 in it is no list of counts: one set of these ids
//     cores:4-7         one set of these ids, in this order, whichever they are
//     node:1            the cores of a node
//     spread:8          over packages, nodes, caches and physical cores as evenly as there is room: SMT siblings last
//     up-to:8           the same, or all cores where there are fewer: for commands written before the machine is known
//     pack:8            one node filled first, and there one cache: SMT siblings side by side
//     physical:8        one core (hardware thread) for each physical core; `physical`: all
//     siblings:8        both threads of physical cores that have more than one, side by side; `siblings`: all
//
// spread, pack, physical and siblings take lists of counts, too: spread:1,2,4 is three sets. Without a count: all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/values.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

// One part of what was typed, between two '/'.
struct CoreSetRequest {
    enum class Kind : std::uint8_t { Counts, Ids, Node, Spread, UpTo, Pack, Physical, Siblings };

    Kind kind = Kind::Counts;
    console::CountList numbers; // counts or nodes; empty: all there are
    std::string_view text;      // as typed: valid while the command runs
};

class CoreSets {
  public:
    static constexpr std::size_t capacity = 8;

    // False when there is no room.
    constexpr bool add(CoreSetRequest const& request) {
        if (size_ == capacity) return false;
        requests_[size_++] = request;
        return true;
    }
    [[nodiscard]] constexpr std::span<CoreSetRequest const> requests() const { return {requests_.data(), size_}; }
    [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

  private:
    std::array<CoreSetRequest, capacity> requests_{};
    std::size_t size_ = 0;
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, CoreSets& sets);
void print_value(TextSink& out, CoreSets const& sets);
void describe_value(TextSink& out, CoreSets const& sets);
void complete_value(console::Candidates& candidates, CoreSets const& sets);

// Cores of the machine, none twice, no less than one.
struct CoreSet {
    FixedText<64> label; // "4", "spread:8": as one would type it
    NodeVector<CoreId> cores;
};

// The sets that `sets` means on this machine, in order. Nothing given: the first 1, 2, 4 ... cores, and all. Errors
// name what was expected: an unknown core or node, a node without cores, more cores than there are, levels not known.
// Memory comes from `home`. Any core.
Result<NodeVector<CoreSet>> resolve(CoreSets const& sets, Topology const& topology, NodeId home);

} // namespace mxk::topology
