// How parsers see physical memory: the kernel reads through its direct map, tests through an image they made.
#pragma once

#include <cstddef>
#include <span>

#include "base/units.hpp"

namespace mxk {

class PhysicalReader {
  public:
    // The bytes at `address`, or an empty span if they cannot be read. Valid as long as the reader.
    virtual std::span<std::byte const> view(PhysicalAddress address, std::size_t bytes) = 0;

  protected:
    ~PhysicalReader() = default;
};

} // namespace mxk
