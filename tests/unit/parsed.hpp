// What an option's text becomes.
#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"

namespace mxk::test {

// As it is printed again, or what is wrong with it.
template <typename Value> std::string parsed(std::string_view text) {
    Value value;
    auto const result = parse_value(text, value);
    if (!result) return std::string(result.error().message());
    FixedText<256> out;
    print_value(out, value);
    return std::string(out.view());
}

} // namespace mxk::test
