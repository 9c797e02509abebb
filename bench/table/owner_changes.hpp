// How the owners of a table changed during a run (hashtable/table/resharding.hpp), and what became of its speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mxk::bench {

struct OwnerChange {
    std::uint32_t from = 0; // cores
    std::uint32_t to = 0;
    double seconds = 0;
    double before = 0; // operations per second since the last change, or the beginning
    double during = 0;
};

// As many as a run may have.
class OwnerChanges {
  public:
    static constexpr std::size_t most = 15;

    void add(OwnerChange const& change) {
        if (size_ < most) changes_[size_++] = change;
    }
    [[nodiscard]] std::span<OwnerChange const> list() const { return {changes_.data(), size_}; }

  private:
    std::array<OwnerChange, most> changes_{};
    std::size_t size_ = 0;
};

} // namespace mxk::bench
