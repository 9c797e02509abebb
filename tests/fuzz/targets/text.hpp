// Text that the targets collect.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace mxk::fuzz {

class StringSink final : public TextSink {
  public:
    void write(std::string_view more) override { text += more; }
    std::string text;
};

// `text` is something, and nothing in it does anything to a terminal.
inline void expect_text(std::string_view text) {
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); })) << text;
}

} // namespace mxk::fuzz
