// Which of a shared table's owners a core is, whose parts have places from 0 on: owners need not be the first cores of
// the machine. A core that is none shares an owner's place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/partition/owner.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

class OwnerPlaces {
  public:
    OwnerPlaces() = default;
    // Errors: no memory. `owners`: one or more.
    static Result<OwnerPlaces> create(std::span<Owner const> owners) {
        OwnerPlaces result;
        result.owners_ = owners.size();
        for (Owner const& owner : owners) result.cores_ = std::max(result.cores_, index(owner.core) + 1);
        result.places_ = MXK_TRY(NodeArray<std::uint32_t>::create(result.cores_, owners.front().node));
        for (std::size_t core = 0; core < result.cores_; ++core)
            result.places_[core] = static_cast<std::uint32_t>(core % owners.size());
        for (std::size_t place = 0; place < owners.size(); ++place)
            result.places_[index(owners[place].core)] = static_cast<std::uint32_t>(place);
        return result;
    }

    // Up to the last owner; those behind it share, too.
    [[nodiscard]] std::size_t cores() const { return cores_; }
    // Any core.
    [[nodiscard]] std::size_t operator[](std::size_t core) const {
        return core < cores_ ? places_[core] : core % owners_;
    }

  private:
    NodeArray<std::uint32_t> places_;
    std::size_t cores_ = 0;
    std::size_t owners_ = 0;
};

} // namespace mxk
