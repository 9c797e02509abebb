#include <gtest/gtest.h>

#include <string>

#include "bench/workload/phases.hpp"

namespace mxk::bench {
namespace {

std::string parsed(std::string_view text) {
    Mix mix;
    auto const result = parse_value(text, mix);
    if (!result) return std::string(result.error().message());
    FixedText<64> out;
    print_value(out, mix);
    return std::string(out.view());
}

TEST(Mix, reads_and_prints) {
    EXPECT_EQ(parsed("insert"), "insert");
    EXPECT_EQ(parsed("find"), "find");
    EXPECT_EQ(parsed("erase"), "erase");
    EXPECT_EQ(parsed("mixed:50/40/10"), "mixed:50/40/10");
    EXPECT_EQ(parsed("mixed:100/0/0"), "mixed:100/0/0");
    EXPECT_EQ(parsed("loaded:5/90/5"), "loaded:5/90/5");
}

TEST(Mix, says_what_it_expects) {
    for (std::string const text :
         {"", "inserts", "mixed", "mixed:", "mixed:50/50", "mixed:50/40/20", "mixed:50/40/10/0", "mixed:-1/51/50",
          "mixed:a/b/c", "mixed:50/40/10 ", "loaded", "loaded:50/50"})
        EXPECT_EQ(parsed(text),
                  "expected insert, find, erase, mixed:I/F/E or loaded:I/F/E with three percentages that add up to "
                  "100, got '" +
                      text + "'");
}

} // namespace
} // namespace mxk::bench
