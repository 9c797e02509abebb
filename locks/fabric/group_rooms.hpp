// Room for an object of each group of a level, on the group's node, without the object's type: what the groups of all
// fabrics are made of, compiled once. In a process that is a rank over MPI it is the process' own memory (main/mpi/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/units.hpp"
#include "kernel/memory/memory.hpp"
#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

class GroupRooms {
  public:
    // So many bytes each, in lines of their own. Where memory is missing there are no rooms at all.
    GroupRooms(LockTopology const& topology, Level level, std::size_t bytes);
    ~GroupRooms();
    GroupRooms(GroupRooms const&) = delete;
    GroupRooms& operator=(GroupRooms const&) = delete;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] void* operator[](std::size_t group) const { return rooms_[group].block.address; }

  private:
    struct alignas(32) Room { // found by a shift
        memory::Block block;
    };
    Room* rooms_ = nullptr;
    std::size_t size_ = 0;
};

// An object for each group of a level, on its node: what a lock of the fabric F is made of, not words for others.
template <typename F, typename T> class PerGroup {
    static_assert(alignof(T) <= cache_line_bytes);

  public:
    template <typename Make>
    PerGroup(typename F::Site const& site, Level level, Make make)
        : rooms_(site.topology(), level, sizeof(T))
        , level_(level)
        , topology_(&site.topology()) {
        if (rooms_.size() == 0) site.fail();
        for (std::size_t group = 0; group < rooms_.size(); ++group) new (rooms_[group]) T(make(group));
    }
    ~PerGroup() {
        for (std::size_t group = 0; group < rooms_.size(); ++group) (*this)[group].~T();
    }
    PerGroup(PerGroup const&) = delete;
    PerGroup& operator=(PerGroup const&) = delete;

    [[nodiscard]] std::size_t size() const { return rooms_.size(); }
    [[gnu::always_inline]] T& operator[](std::size_t group) const {
        return *std::launder(static_cast<T*>(rooms_[group]));
    }
    [[nodiscard, gnu::always_inline]] std::uint32_t own_group() const { return topology_->group_of(level_, F::self()); }
    [[gnu::always_inline]] T& own() const { return (*this)[own_group()]; }

  private:
    GroupRooms rooms_;
    Level level_;
    LockTopology const* topology_;
};

} // namespace mxk::locks
