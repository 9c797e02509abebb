// Which operations a phase of a run consists of: `insert`, `find`, `erase`, or `mixed:I/F/E` in percent.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::bench {

struct Mix {
    enum class Kind : std::uint8_t { Insert, Find, Erase, Mixed }; // in the order in which phases make sense

    Kind kind = Kind::Insert;
    // Percent, together 100; only for Mixed.
    std::uint32_t insert = 0;
    std::uint32_t find = 0;
    std::uint32_t erase = 0;

    // Works on keys that must be in the table already.
    [[nodiscard]] constexpr bool needs_keys() const { return kind == Kind::Find || kind == Kind::Erase; }
};

// As console options are parsed and printed; Phases is made of them.
Result<void> parse_value(std::string_view text, Mix& mix);
void print_value(TextSink& out, Mix const& mix);

} // namespace mxk::bench
