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
        auto const theta = console::parse_number(text.substr(zipf_prefix.size()), Zipf::min_theta, Zipf::max_theta);
        if (theta) {
            distribution = {theta.value()};
            return {};
        }
    }
    FixedText<32> min;
    console::print_number(min, Zipf::min_theta);
    return Error::of("expected uniform or zipf:THETA with THETA from {} to {}, such as zipf:0.99, got '{}'", min.view(),
                     static_cast<unsigned>(Zipf::max_theta), text);
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
