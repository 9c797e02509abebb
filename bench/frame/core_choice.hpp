// Which cores a benchmark uses, as --cores says or, where it says nothing, a good choice. CoreChoice is for benchmarks
// of costs: the core that is measured, another one of its node, and one of the nearest other node. CoreSetList is for
// those that run on many cores: sets, measured one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/topology/core_set.hpp"
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

// A place in a run is not a core id: place i is the i-th core of the set.
class CoreSetList {
  public:
    CoreSetList() = default;
    // On this machine, of so many cores or more. Errors: those of topology::resolve(). The console's task.
    static Result<CoreSetList> create(topology::CoreSets const& sets, std::size_t min_cores = 1);

    [[nodiscard]] std::size_t size() const { return sets_.size(); }
    [[nodiscard]] std::span<CoreId const> cores(std::size_t at) const { return sets_[at].cores.span(); }
    // As one would type it: "4", "spread:8".
    [[nodiscard]] std::string_view label(std::size_t at) const { return sets_[at].label.view(); }

    // A column of labels, and its heading.
    void print_heading(TextSink& out) const;
    void print(TextSink& out, std::size_t at) const;
    // The fields "cores" (how many), "core_set" (the label) and "core_ids".
    void write(JsonWriter& json, std::size_t at) const;

  private:
    NodeVector<topology::CoreSet> sets_;
    std::size_t width_ = 6; // of the column
};

// The cores of the one set that was chosen; all, where none was. Errors: those of CoreSetList, more than one set. The
// console's task.
Result<NodeVector<CoreId>> one_set_or_all(topology::CoreSets const& chosen);

} // namespace mxk::bench
