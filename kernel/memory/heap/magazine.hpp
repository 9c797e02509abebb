// The objects of one size that a core has freed last, and that it allocates first: what both fast paths work on. The
// objects are not touched meanwhile. Its older half goes to the bin below when the magazine is full, and some come from
// there when it is empty. (The name: J. Bonwick, J. Adams, Magazines and Vmem, 2001.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

    void** objects = nullptr; // the newest last
    std::uint32_t count = 0;
    std::uint32_t limit = 0; // of count; 0: there is no room yet
};
static_assert(sizeof(Magazine) == 16);

} // namespace mxk::heap
