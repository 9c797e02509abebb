// Displacements in the regions of a transport (one_sided.hpp): what is reserved is there in every region.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/units.hpp"
#include "locks/fabric/one_sided.hpp"

namespace mxk::locks {

class RegionSpace {
  public:
    // Of each region.
    explicit RegionSpace(std::size_t bytes)
        : bytes_(bytes) {}

    // While no worker uses the locks before: their memory is used again.
    void forget_locks() {
        reserved_ = 0;
        has_failed_ = false;
    }
    // In lines of its own. 0, and a failure, if there is no room.
    Displacement reserve(std::size_t bytes, std::size_t alignment) {
        std::size_t const at = align_up(reserved_, std::max(alignment, cache_line_bytes));
        if (at + bytes > bytes_) {
            fail();
            return 0;
        }
        reserved_ = at + bytes;
        return static_cast<Displacement>(at);
    }
    void fail() { has_failed_ = true; }
    // There was not enough memory: the lock that was made last must not be used.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

  private:
    std::size_t bytes_;
    std::size_t reserved_ = 0;
    bool has_failed_ = false;
};

} // namespace mxk::locks
