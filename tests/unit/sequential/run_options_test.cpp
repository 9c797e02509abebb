// How often to run, as it is typed.
#include <gtest/gtest.h>

#include "bench/frame/run_options.hpp"

namespace mxk::bench {
namespace {

std::string read_back(std::string_view text) {
    Repeat repeat;
    if (auto const parsed = parse_value(text, repeat); !parsed) return std::string(parsed.error().message());
    FixedText<32> shown;
    print_value(shown, repeat);
    return std::string(shown.view());
}

TEST(Repeat, is_a_number_or_as_often_as_it_takes) {
    for (std::string_view const text : {"1", "5", "1000", "auto", "auto:1", "auto:240"})
        EXPECT_EQ(read_back(text), text);
    for (std::string_view const text :
         {"", "0", "1001", "-1", "automatic", "auto:", "auto:0", "auto:86401", "auto:x", "auto5", "2.5", "five"})
        EXPECT_EQ(read_back(text), "expected a count such as 5 (1 to 1000), auto, or auto:SECONDS (1 to 86400), got '" +
                                       std::string(text) + "'");
    EXPECT_EQ(Repeat(5).text().view(), "5");
    EXPECT_EQ(Repeat::automatic().text().view(), "up to 100");
}

} // namespace
} // namespace mxk::bench
