// Compressed texts are read back by a reader of its own.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "base/base45.hpp"
#include "base/deflate.hpp"
#include "tests/unit/inflated.hpp"

namespace mxk {
namespace {

class DeflateTest : public testing::Test {
  protected:
    // How many bytes the text takes, after it was read back.
    std::size_t packed(std::string const& text) {
        std::vector<std::uint8_t> out(text.size() * 9 / 8 + 3, 0xff);
        auto const size = deflate_->compress(text, out);
        EXPECT_TRUE(size);
        out.resize(size.value_or(0));
        EXPECT_EQ(Inflater(out).text(), text);
        return out.size();
    }
    std::unique_ptr<Deflate> deflate_ = std::make_unique<Deflate>();
};

TEST_F(DeflateTest, all_bytes_and_none_come_back) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    packed("");
    packed(all);
    packed("a");
}

TEST_F(DeflateTest, matches_of_every_length_and_distance) {
    std::mt19937 random(1);
    std::string noise;
    for (int i = 0; i < 33'000; ++i) noise += static_cast<char>(random());
    for (std::size_t length = 3; length < 600; length += length < 300 ? 1 : 99)
        EXPECT_LT(packed("X" + noise.substr(0, length) + "Y" + noise.substr(0, length)), length * 9 / 8 + 16) << length;
    for (std::size_t distance : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 1000U, 1024U, 1025U, 32767U, 32768U}) {
        std::string text = noise.substr(0, distance);
        for (std::size_t i = 0; i < 300; ++i) text += text[text.size() - distance];
        packed(text);
    }
    std::string const far = noise.substr(0, 100) + noise.substr(200, 32'700) + noise.substr(0, 100);
    packed(far); // is beyond the window
    EXPECT_LT(packed(std::string(Deflate::max_text, 'a')), 420U);
}

TEST_F(DeflateTest, what_does_not_fit_is_refused_and_nothing_is_written_behind) {
    std::string const text = "no character of it twice";
    std::size_t const size = packed(text);
    std::vector<std::uint8_t> out(size, 0x77);
    EXPECT_FALSE(deflate_->compress(text, std::span(out).first(size - 1)));
    EXPECT_EQ(out.back(), 0x77);
    EXPECT_EQ(deflate_->compress(text, out), size);
}

TEST_F(DeflateTest, base45_as_in_its_standard) {
    auto const text_of = [](std::string_view bytes) {
        FixedText<64> text;
        write_base45(text, {reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()});
        return std::string(text.view());
    };
    EXPECT_EQ(text_of("AB"), "BB8"); // RFC 9285 section 4.3
    EXPECT_EQ(text_of("Hello!!"), "%69 VD92EX0");
    EXPECT_EQ(text_of("base-45"), "UJCLQE7W581");
    EXPECT_EQ(text_of(""), "");
}

} // namespace
} // namespace mxk
