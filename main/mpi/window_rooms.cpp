// In place of locks/fabric/group_rooms.cpp: a rank's own memory, since it makes and uses all of these itself.
#include "locks/fabric/group_rooms.hpp"

namespace mxk::locks {

constexpr std::align_val_t line{cache_line_bytes};

GroupRooms::GroupRooms(LockTopology const& topology, Level level, std::size_t bytes)
    : rooms_(new Room[topology.groups(level)])
    , size_(topology.groups(level)) {
    for (std::size_t group = 0; group < size_; ++group)
        rooms_[group].block = {static_cast<std::byte*>(::operator new(bytes, line)), bytes, NodeId{}};
}

GroupRooms::~GroupRooms() {
    for (std::size_t group = 0; group < size_; ++group) ::operator delete(rooms_[group].block.address, line);
    delete[] rooms_;
}

} // namespace mxk::locks
