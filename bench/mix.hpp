// Which operations a run consists of: `insert`, `find`, `erase`, or `mixed:I/F/E` in percent.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::bench {

struct Mix {
    enum class Kind : std::uint8_t { Insert, Find, Erase, Mixed };

    Kind kind = Kind::Insert;
    // Percent, together 100; only for Mixed.
    std::uint32_t insert = 0;
    std::uint32_t find = 0;
    std::uint32_t erase = 0;
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Mix& mix);
void print_value(TextSink& out, Mix const& mix);
void describe_value(TextSink& out, Mix const& mix);

} // namespace mxk::bench
