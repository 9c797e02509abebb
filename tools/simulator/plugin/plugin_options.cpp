#include "tools/simulator/plugin/plugin_options.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace mxk::simulator {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view expected, std::string_view got) {
    throw std::runtime_error(std::string(name) + ": expected " + std::string(expected) + ", got '" + std::string(got) +
                             "'");
}

std::uint64_t number(std::string_view name, std::string_view text) {
    bool const is_hexadecimal = text.starts_with("0x");
    std::string_view const digits = is_hexadecimal ? text.substr(2) : text;
    std::uint64_t value = 0;
    auto const [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size()) refuse(name, "a number", text);
    return value;
}

std::string_view take_until(std::string_view& text, char separator) {
    std::size_t const at = text.find(separator);
    std::string_view const taken = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
    return taken;
}

std::vector<MemoryRange> memory_ranges(std::string_view name, std::string_view text) {
    std::vector<MemoryRange> ranges;
    while (!text.empty()) {
        std::string_view range = take_until(text, ';');
        std::uint64_t const begin = number(name, take_until(range, '-'));
        std::uint64_t const end = number(name, take_until(range, '@'));
        ranges.push_back({begin, end, static_cast<unsigned>(number(name, range))});
    }
    return ranges;
}

} // namespace

Options Options::parse(std::span<char* const> arguments) {
    Options options;
    for (std::string_view const argument : arguments) {
        std::string_view value = argument;
        std::string_view const name = take_until(value, '=');
        if (name == "machine")
            options.machine = value;
        else if (name == "result")
            options.result = value;
        else if (name == "roi-begin")
            options.begin = number(name, value);
        else if (name == "roi-end")
            options.end = number(name, value);
        else if (name == "whole")
            options.whole = value == "on" || (value != "off" && (refuse(name, "on or off", value), true));
        else if (name == "memory-nodes")
            options.memory = memory_ranges(name, value);
        else if (name == "lookahead")
            options.lookahead_cycles = number(name, value);
        else if (name == "seed")
            options.seed = number(name, value);
        else if (name == "sample") {
            options.sample_cycles = number(name, take_until(value, '/'));
            options.sample_period_cycles = number(name, value);
        } else if (name == "samples")
            options.samples = value;
        else
            refuse("plugin",
                   "machine, result, roi-begin, roi-end, whole, memory-nodes, lookahead, seed, sample or samples",
                   name);
    }
    if (options.machine.empty()) refuse("machine", "a file", "");
    if (options.result.empty()) refuse("result", "a file", "");
    constexpr std::uint64_t min_sample = 1000;
    if (options.sample_cycles != options.sample_period_cycles &&
        (options.sample_cycles < min_sample || options.sample_period_cycles < options.sample_cycles))
        refuse("sample", "a thousand cycles or more, of as many or more", std::to_string(options.sample_cycles));
    if (!options.whole && (options.begin == 0) != (options.end == 0)) refuse("roi-end", "roi-begin and roi-end", "one");
    return options;
}

} // namespace mxk::simulator
