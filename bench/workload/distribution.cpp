#include "bench/workload/distribution.hpp"

#include "bench/workload/zipf.hpp"
#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

constexpr std::string_view uniform = "uniform";
constexpr std::string_view zipf_prefix = "zipf:";

} // namespace

Result<void> parse_value(std::string_view text, Distribution& distribution) {
    if (text == uniform) {
        distribution = {};
        return {};
    }
    if (text.starts_with(zipf_prefix)) {
        auto const theta = console::parse_number(text.substr(zipf_prefix.size()), Zipf::least_theta, Zipf::most_theta);
        if (theta) {
            distribution = {theta.value()};
            return {};
        }
    }
    FixedText<32> least;
    console::print_number(least, Zipf::least_theta);
    return Error::of("expected uniform or zipf:THETA with THETA from {} to {}, such as zipf:0.99, got '{}'",
                     least.view(), static_cast<unsigned>(Zipf::most_theta), text);
}

void print_value(TextSink& out, Distribution const& distribution) {
    if (distribution.is_uniform()) return out.write(uniform);
    out.write(zipf_prefix);
    console::print_number(out, distribution.theta);
}

void describe_value(TextSink& out, Distribution const&) {
    out.write("uniform|zipf:THETA");
}

} // namespace mxk::bench
