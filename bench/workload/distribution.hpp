// Which keys the operations of a run choose: each as often as any other (`uniform`), or by Zipf's law (`zipf:THETA`), a
// few of them very often.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::bench {

struct Distribution {
    double theta = 0; // of Zipf's law; 0: uniform

    [[nodiscard]] constexpr bool is_uniform() const { return theta == 0; }
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Distribution& distribution);
void print_value(TextSink& out, Distribution const& distribution);
void describe_value(TextSink& out, Distribution const& distribution);

} // namespace mxk::bench
