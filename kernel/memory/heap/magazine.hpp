// The objects of one size that a core has freed last, and that it allocates first: what both fast paths work on. The
// objects are not touched meanwhile. Its older half goes to the bin below when the magazine is full, and some come from
// there when it is empty. (The name: J. Bonwick, J. Adams, Magazines and Vmem, 2001.)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"

namespace mxk::heap {

struct Magazine {
    // No more than 2048 objects, and no more than a twentieth of a superblock, which is 512 KiB where memory is large:
    // what stays in a core's own caches.
    static constexpr std::uint32_t limit_for(std::size_t object_bytes, std::size_t superblock_bytes) {
        return static_cast<std::uint32_t>(std::clamp<std::size_t>(superblock_bytes / 20 / object_bytes, 4, 2048));
    }
    // How many come from the bin, or go there, at a time.
    static constexpr std::size_t max_batch = 64;

    // The oldest object has null below it, so that who takes the newest one need not count.
    void** top = no_room.data() + 1; // behind the newest
    void** end = no_room.data() + 1; // of the room

    // All that there is of a magazine before it has room: full and empty.
    static inline constinit std::array<void*, 1> no_room{};

    [[nodiscard]] bool has_room() const { return end != no_room.data() + 1; }
    // `room`: for as many as the limit, and one.
    void take_room(std::span<void*> room) {
        room.front() = nullptr;
        top = room.data() + 1;
        end = room.data() + room.size();
    }
    // The oldest first. `limit`: of those in it.
    [[nodiscard]] std::span<void*> objects(std::size_t limit) const {
        return has_room() ? std::span<void*>(end - limit, top) : std::span<void*>();
    }
};
static_assert(sizeof(Magazine) == 16);

} // namespace mxk::heap
