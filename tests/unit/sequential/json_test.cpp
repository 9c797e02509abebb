#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "base/json.hpp"
#include "base/json_line.hpp"

namespace mxk {
namespace {

class StringSink final : public TextSink {
  public:
    void write(std::string_view text) override { written += text; }
    std::string written;
};

std::string value_of(FormatArgument value) {
    StringSink sink;
    JsonWriter(sink).element(value);
    return sink.written;
}

TEST(Json, nests_and_separates) {
    StringSink sink;
    JsonWriter json(sink);
    json.begin_object();
    json.field("a", 1U);
    json.begin_object("empty");
    json.end_object();
    json.begin_array("list");
    json.element(1.5);
    json.begin_object();
    json.field("b", true);
    json.field("c", "text");
    json.end_object();
    json.begin_array();
    json.end_array();
    json.begin_array();
    json.element(-1);
    json.element(-2);
    json.end_array();
    json.end_array();
    json.field("z", false);
    json.end_object();
    EXPECT_EQ(sink.written, R"({"a":1,"empty":{},"list":[1.5,{"b":true,"c":"text"},[],[-1,-2]],"z":false})");
}

TEST(Json, an_empty_object_is_a_line) {
    StringSink sink;
    JsonWriter json(sink);
    json.begin_object();
    json.end_object();
    EXPECT_EQ(sink.written, "{}");
}

TEST(Json, a_line_ends_with_the_check_sum_of_all_before_it) {
    StringSink sink;
    JsonLine line(sink);
    line.json().field("cores", 4U);
    line.end();
    EXPECT_EQ(sink.written, "{\"cores\":4,\"crc32\":\"33d8c4af\"}\n"); // zlib.crc32(b'{"cores":4')
}

TEST(Json, integers) {
    EXPECT_EQ(value_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(value_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(value_of(core_id(3)), "3");
    EXPECT_EQ(value_of(PhysicalAddress{0x1000}), "\"0x1000\"");
}

TEST(Json, reals) {
    EXPECT_EQ(value_of(0.0), "0");
    EXPECT_EQ(value_of(1.0), "1");
    EXPECT_EQ(value_of(100.0), "100");
    EXPECT_EQ(value_of(-2.5), "-2.5");
    EXPECT_EQ(value_of(0.001), "0.001");
    EXPECT_EQ(value_of(12345678.25), "12345678.25");
    EXPECT_EQ(value_of(1e18), "1e18");
    EXPECT_EQ(value_of(-2.5e-9), "-2.5e-9");
    EXPECT_EQ(value_of(std::numeric_limits<double>::quiet_NaN()), "null");
    EXPECT_EQ(value_of(std::numeric_limits<double>::infinity()), "null");
    EXPECT_EQ(value_of(-std::numeric_limits<double>::infinity()), "null");
}

TEST(Json, reals_read_back_close) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> exponent(-300, 300);
    for (int i = 0; i < 10000; ++i) {
        double const value = std::pow(10.0, exponent(random)) * (i % 2 == 0 ? 1 : -1);
        std::string const text = value_of(value);
        EXPECT_NEAR(std::strtod(text.c_str(), nullptr) / value, 1, 1e-6) << text;
    }
    for (double const value : {1.7e308, std::numeric_limits<double>::min(), 9.9999999999e14,
                               std::numeric_limits<double>::denorm_min(), 9.99999999999e20}) {
        EXPECT_NEAR(std::strtod(value_of(value).c_str(), nullptr) / value, 1, 1e-6) << value_of(value);
    }
}

TEST(Json, escapes) {
    EXPECT_EQ(value_of(R"(say "hi" \ there/)"), R"("say \"hi\" \\ there/")");
    EXPECT_EQ(value_of("a\nb\tc\rd"), R"("a\nb\tc\rd")");
    EXPECT_EQ(value_of(std::string_view("\0\x01\x1f\x7f", 4)), R"("\u0000\u0001\u001f\u007f")");
    EXPECT_EQ(value_of("\xb5s \xff"), R"("\u00b5s \u00ff")"); // firmware text: Latin-1
    EXPECT_EQ(value_of('"'), R"("\"")");
    EXPECT_EQ(value_of(""), "\"\"");
}

TEST(Json, names_are_escaped_too) {
    StringSink sink;
    JsonWriter json(sink);
    json.begin_object();
    json.begin_object("a\"");
    json.end_object();
    json.begin_array("\n");
    json.end_array();
    json.end_object();
    EXPECT_EQ(sink.written, R"({"a\"":{},"\n":[]})");
}

} // namespace
} // namespace mxk
