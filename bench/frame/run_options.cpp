#include "bench/frame/run_options.hpp"

#include "base/format.hpp"
#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

constexpr std::string_view auto_word = "auto";
constexpr std::uint32_t max_seconds = 86'400;

} // namespace

FixedText<16> Repeat::text() const {
    FixedText<16> text;
    format(text, "{}{}", is_auto ? "up to " : "", count);
    return text;
}

Result<void> parse_value(std::string_view text, Repeat& repeat) {
    if (text == auto_word) {
        repeat = Repeat::automatic();
        return {};
    }
    bool const has_seconds = text.starts_with(auto_word) && text.substr(auto_word.size()).starts_with(':');
    if (has_seconds) {
        auto const seconds = console::parse_count(text.substr(auto_word.size() + 1), 1, max_seconds);
        if (seconds) {
            repeat = Repeat::automatic(static_cast<std::uint32_t>(seconds.value()));
            return {};
        }
    } else if (auto const count = console::parse_count(text, 1, Repeat::max_count)) {
        repeat = Repeat(static_cast<std::uint32_t>(count.value()));
        return {};
    }
    return Error::of("expected a count such as 5 (1 to {}), auto, or auto:SECONDS (1 to {}), got '{}'",
                     Repeat::max_count, max_seconds, text);
}

void print_value(TextSink& out, Repeat const& repeat) {
    if (!repeat.is_auto) return console::print_count(out, repeat.count);
    out.write(auto_word);
    if (repeat.seconds != 0) format(out, ":{}", repeat.seconds);
}

void describe_value(TextSink& out, Repeat const&) {
    out.write("COUNT|auto");
}

} // namespace mxk::bench
