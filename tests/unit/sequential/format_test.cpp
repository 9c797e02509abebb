#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/format.hpp"
#include "base/result.hpp"

namespace mxk {
namespace {

template <typename... Arguments>
std::string formatted(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
    FixedText<256> out;
    format(out, pattern, arguments...);
    return std::string(out.view());
}

TEST(Format, integers) {
    EXPECT_EQ(formatted("{} {}", 0U, -1), "0 -1");
    EXPECT_EQ(formatted("{}", std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(formatted("{}", std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(formatted("{:x} {:08x}", 0xabcU, 0xabcU), "abc 00000abc");
}

TEST(Format, integers_in_other_bases) {
    EXPECT_EQ(formatted("{:o} {:b} {:08b}", 8U, 5U, 5U), "10 101 00000101");
    EXPECT_EQ(formatted("{:b}", std::numeric_limits<std::uint64_t>::max()), std::string(64, '1'));
    EXPECT_EQ(formatted("{:b}", std::numeric_limits<std::int64_t>::min()), "-1" + std::string(63, '0'));
    EXPECT_EQ(formatted("{:o}", std::numeric_limits<std::uint64_t>::max()), "1777777777777777777777");
    EXPECT_EQ(formatted("[{:<6o}][{:6x}]", -8, -255), "[-10   ][   -ff]");
}

TEST(Format, text_has_up_to_so_many_characters_which_are_code_points) {
    EXPECT_EQ(formatted("[{:.3}][{:.0}][{:.9}]", "abcdef", "abcdef", "abc"), "[abc][][abc]");
    EXPECT_EQ(formatted("[{:8.3}][{:>8.3}]", "abcdef", "abcdef"), "[abc     ][     abc]");
    EXPECT_EQ(formatted("[{:6}][{:>6}]", "\u00e4\u20ac\U0001f600", "\u00fc"),
              "[\u00e4\u20ac\U0001f600   ][     \u00fc]");
    EXPECT_EQ(formatted("[{:.2}]", "\u00e4\u20ac\U0001f600"), "[\u00e4\u20ac]");
    EXPECT_EQ(formatted("[{:.1}]", "\xbf\x80"), "[\xbf\x80]") << "what is not UTF-8 has no character";
}

TEST(Format, width_and_alignment) {
    EXPECT_EQ(formatted("[{:5}][{:<5}]", 42, 42), "[   42][42   ]");
    EXPECT_EQ(formatted("[{:5}][{:>5}]", "ab", "ab"), "[ab   ][   ab]");
    EXPECT_EQ(formatted("[{:05}]", -42), "[-0042]");
    EXPECT_EQ(formatted("[{:2}]", "longer"), "[longer]");
}

TEST(Format, reals_round_and_keep_leading_zeros_of_the_fraction) {
    EXPECT_EQ(formatted("{} {:.3}", 1.5, 0.0625), "1.50 0.063");
    EXPECT_EQ(formatted("{:.2}", 0.999), "1.00");
    EXPECT_EQ(formatted("{:.2}", 3.04), "3.04");
    EXPECT_EQ(formatted("{:.3}", 3.004), "3.004");
    EXPECT_EQ(formatted("{:.3}", 3.0), "3.000");
    EXPECT_EQ(formatted("{:.0}", 2.7), "3");
    EXPECT_EQ(formatted("{:8.1}", -2.75), "    -2.8");
    EXPECT_EQ(formatted("{}", std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(formatted("{}", 1e300), "inf");
}

TEST(Format, braces_text_booleans_and_addresses) {
    EXPECT_EQ(formatted("{{{}}}", true), "{true}");
    EXPECT_EQ(formatted("{} {}", 'c', std::string_view("view")), "c view");
    EXPECT_EQ(formatted("{}", PhysicalAddress{0x1000}), "0x1000");
    EXPECT_EQ(formatted("{}", core_id(7)), "7");
    EXPECT_EQ(formatted("no placeholder"), "no placeholder");
}

TEST(Format, text_that_does_not_fit_is_cut) {
    FixedText<4> out;
    format(out, "{}", "abcdef");
    EXPECT_EQ(out.view(), "abcd");
    EXPECT_TRUE(out.full());
}

TEST(Format, erased_formatting_survives_patterns_the_compiler_would_refuse) {
    FixedText<64> out;
    format_erased(out, "{} {", {});
    format_erased(out, "}", {});
    EXPECT_EQ(out.view(), " ");
}

Result<int> half(int value) {
    if (value % 2 != 0) return Error::of("expected an even number, got {}", value);
    return value / 2;
}
Result<int> quarter(int value) {
    int const once = MXK_TRY(half(value));
    return half(once);
}

TEST(Result, try_hands_on_the_first_error) {
    EXPECT_EQ(quarter(8).value(), 2);
    EXPECT_EQ(quarter(6).error().message(), "expected an even number, got 3");
    EXPECT_EQ(quarter(7).error().message(), "expected an even number, got 7");
}

} // namespace
} // namespace mxk
