#include "locks/fabric/group_rooms.hpp"

namespace mxk::locks {

GroupRooms::GroupRooms(LockTopology const& topology, Level level, std::size_t bytes) {
    std::size_t const groups = topology.groups(level);
    // The array's own block is behind its rooms.
    auto const array = memory::allocate((groups + 1) * sizeof(Room), cache_line_bytes, topology.memory_of(0));
    if (!array) return;
    rooms_ = reinterpret_cast<Room*>(array.value().address);
    new (&rooms_[groups]) Room{array.value()};
    for (; size_ < groups; ++size_) {
        NodeId const node = topology.memory_of(topology.first_of(level, size_));
        auto const room = memory::allocate(bytes, cache_line_bytes, node);
        if (!room) break;
        new (&rooms_[size_]) Room{room.value()};
    }
    if (size_ == groups) return;
    while (size_ != 0) memory::free(rooms_[--size_].block);
    memory::free(array.value());
}

GroupRooms::~GroupRooms() {
    if (size_ == 0) return;
    for (std::size_t group = 0; group < size_; ++group) memory::free(rooms_[group].block);
    memory::Block const array = rooms_[size_].block;
    memory::free(array);
}

} // namespace mxk::locks
