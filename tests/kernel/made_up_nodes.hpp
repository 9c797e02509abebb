// Workers on made-up nodes, with emulated regions.
#pragma once

#include <cstddef>
#include <span>

#include "base/units.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/stored_topology.hpp"

namespace mxk {

class MadeUpNodes {
  public:
    MadeUpNodes(std::span<CoreId const> workers, std::size_t nodes, std::size_t region_bytes,
                locks::EmulatedTimes times = {})
        : stored_(locks::StoredTopology::made_up(workers, nodes))
        , view_(stored_ ? stored_.value().view() : locks::LockTopology({}, {}, {}))
        , emulated_(stored_ ? locks::Emulated::create(view_, region_bytes, times) : stored_.error()) {}
    MadeUpNodes(MadeUpNodes const&) = delete;
    MadeUpNodes& operator=(MadeUpNodes const&) = delete;

    // False: there is no memory.
    [[nodiscard]] bool is_there() const { return emulated_.ok(); }
    [[nodiscard]] locks::LockTopology const& topology() const { return view_; }
    locks::Emulated& emulated() { return emulated_.value(); }

  private:
    Result<locks::StoredTopology> stored_;
    locks::LockTopology view_;
    Result<locks::Emulated> emulated_;
};

} // namespace mxk
