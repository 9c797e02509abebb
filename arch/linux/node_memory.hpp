// The memory of one node: address space whose pages the system gives when they are first touched, large pages where it
// can, on the node where there are several. Pages of 1 GiB come first, as many as the system has free; the first touch
// of one takes as long as to clear it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk::arch {

class NodeMemory {
  public:
    // None.
    NodeMemory() = default;

    // Rounded down to 2 MiB. `system_node`: the operating system's number of the node to bind to, -1: none. A node that
    // cannot be bound to is a WARN, not an error.
    static Result<NodeMemory> reserve(std::size_t bytes, int system_node);

    NodeMemory(NodeMemory&& other) noexcept
        : bytes_(std::exchange(other.bytes_, {})) {}
    NodeMemory& operator=(NodeMemory&&) = delete;
    ~NodeMemory();

    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

  private:
    explicit NodeMemory(std::span<std::byte> bytes)
        : bytes_(bytes) {}

    std::span<std::byte> bytes_;
};

} // namespace mxk::arch
