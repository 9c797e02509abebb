// What a run does to one table, one phase after the other: any of insert, find and erase, in this order, or a mixed
// phase alone. Each phase works off as many operations as there are keys. Without keys from an insert before, the first
// find or erase needs a table that was filled for it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/workload/mix.hpp"

namespace mxk::bench {

class Phases {
  public:
    static constexpr std::size_t most = 3;

    // One phase.
    constexpr Phases(Mix const& mix = {})
        : phases_{mix}
        , size_(1) {}

    // One or more.
    [[nodiscard]] constexpr std::span<Mix const> list() const { return {phases_.data(), size_}; }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }

    // Errors: `mix` does not come after what is there.
    Result<void> append(Mix const& mix);

  private:
    std::array<Mix, most> phases_{};
    std::size_t size_ = 0;
};

// What kernel/console/options.hpp asks of an option's type: mixes with commas between them.
Result<void> parse_value(std::string_view text, Phases& phases);
void print_value(TextSink& out, Phases const& phases);
void describe_value(TextSink& out, Phases const& phases);

} // namespace mxk::bench
