// A few values with names, which stand in a row of results besides what all rows have: what the run was told
// (Settings), and what else it found (Findings).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/format.hpp"
#include "base/panic.hpp"

namespace mxk::bench {

template <typename T> class NamedValues {
  public:
    static constexpr std::size_t capacity = 4;

    struct Entry {
        std::string_view name; // as in JSON; a constant
        T value{0U};
    };

    void add(std::string_view name, T value) {
        expect(size_ < capacity, "no more named values than there is room for");
        entries_[size_++] = {name, value};
    }
    [[nodiscard]] std::span<Entry const> entries() const { return {entries_.data(), size_}; }

  private:
    std::array<Entry, capacity> entries_{};
    std::size_t size_ = 0;
};

using Settings = NamedValues<FormatArgument>;
using Findings = NamedValues<double>;

} // namespace mxk::bench
