#include "bench/workload/arrivals.hpp"

#include "kernel/console/values.hpp"

namespace mxk::bench {

Result<void> parse_value(std::string_view text, Rate& rate) {
    if (text.ends_with('%')) {
        auto const percent = console::parse_number(text.substr(0, text.size() - 1), 1, Rate::max_percent);
        if (percent) {
            rate = {.share = percent.value() / 100};
            return {};
        }
    } else if (auto const count = console::parse_count(text, 1, Rate::max_per_second)) {
        rate = {.per_second = count.value()};
        return {};
    }
    return Error::of("expected operations per second, such as 20M, or a share from 1% to {}%, got '{}'",
                     Rate::max_percent, text);
}

void print_value(TextSink& out, Rate const& rate) {
    if (rate.per_second != 0) return console::print_count(out, rate.per_second);
    console::print_number(out, rate.share * 100);
    out.write("%");
}

void describe_value(TextSink& out, Rate const&) {
    out.write("COUNT|PERCENT%");
}

} // namespace mxk::bench
