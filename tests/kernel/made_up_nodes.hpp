// Workers on made-up nodes, with emulated regions. A panic if there is no memory.
#pragma once

#include <cstddef>
#include <span>

#include "base/panic.hpp"
#include "base/units.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/stored_topology.hpp"

namespace mxk {

class MadeUpNodes {
  public:
    MadeUpNodes(std::span<CoreId const> workers, std::size_t nodes, std::size_t region_bytes,
                locks::EmulatedTimes times = {})
        : stored_(locks::StoredTopology::made_up(workers, nodes))
        , view_(there(stored_).view())
        , emulated_(locks::Emulated::create(view_, region_bytes, times)) {
        there(emulated_);
    }
    MadeUpNodes(MadeUpNodes const&) = delete;
    MadeUpNodes& operator=(MadeUpNodes const&) = delete;

    [[nodiscard]] locks::LockTopology const& topology() const { return view_; }
    locks::Emulated& emulated() { return emulated_.value(); }

  private:
    template <typename T> static T& there(Result<T>& made) {
        expect(made.ok(), "a test needs some bytes of memory");
        return made.value();
    }

    Result<locks::StoredTopology> stored_;
    locks::LockTopology view_;
    Result<locks::Emulated> emulated_;
};

} // namespace mxk
