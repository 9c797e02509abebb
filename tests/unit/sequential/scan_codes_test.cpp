// Keys of a PS/2 keyboard as a terminal's bytes.
#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <string>

#include "arch/x86_64/board/scan_codes.hpp"

namespace mxk::arch {
namespace {

constexpr unsigned released = 0x80;
constexpr unsigned left_shift = 0x2a, right_shift = 0x36, control = 0x1d, caps = 0x3a, extended = 0xe0;

class ScanCodesTest : public testing::Test {
  protected:
    std::string typed(std::initializer_list<unsigned> sequence) {
        std::string bytes;
        for (unsigned const code : sequence) bytes += codes.feed(static_cast<std::uint8_t>(code));
        return bytes;
    }
    ScanCodes codes;
};

TEST_F(ScanCodesTest, letters_digits_and_signs) {
    EXPECT_EQ(typed({0x23, 0x23 | released, 0x12, 0x26, 0x26, 0x18}), "hello") << "a key that is let go says nothing";
    EXPECT_EQ(typed({0x02, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b, 0x27, 0x28, 0x29, 0x2b, 0x33, 0x34, 0x35, 0x39}),
              "10-=[];'`\\,./ ");
    EXPECT_EQ(typed({0x1c, 0x0e, 0x0f, 0x01}), "\r\x7f\t\x1b");
    EXPECT_EQ(typed({0x37, 0x4a, 0x4e}), "*-+") << "of the pad";
    EXPECT_EQ(typed({0x3b, 0x44, 0x45, 0x46, 0x57, 0x7f, 0x00}), "") << "keys that a terminal has nothing for";
}

TEST_F(ScanCodesTest, shift_and_caps_lock) {
    EXPECT_EQ(typed({left_shift, 0x1e, 0x02, 0x28, 0x2b, left_shift | released, 0x1e}), "A!\"|a");
    EXPECT_EQ(typed({right_shift, 0x35, right_shift | released}), "?");
    EXPECT_EQ(typed({caps, caps | released, 0x1e, 0x02, left_shift, 0x1e, 0x02, left_shift | released}), "A1a!");
    EXPECT_EQ(typed({caps, caps, caps | released, 0x1e}), "a") << "once off, however long it is held";
}

TEST_F(ScanCodesTest, control) {
    EXPECT_EQ(typed({control, 0x2e, 0x1e, 0x1a, control | released, 0x2e}), "\x03\x01\x1b"
                                                                            "c");
    EXPECT_EQ(typed({extended, control, 0x16, extended, control | released, 0x16}), "\x15u") << "the right one";
    EXPECT_EQ(typed({control, 0x02, control | released}), "1") << "no control character of a digit";
}

TEST_F(ScanCodesTest, keys_of_the_cursor) {
    EXPECT_EQ(typed({extended, 0x48, extended, 0x48 | released, extended, 0x50, extended, 0x4b, extended, 0x4d}),
              "\x1b[A\x1b[B\x1b[D\x1b[C");
    EXPECT_EQ(typed({extended, 0x47, extended, 0x4f, extended, 0x53}), "\x1b[H\x1b[F\x1b[3~");
    EXPECT_EQ(typed({extended, left_shift, extended, 0x48, extended, left_shift | released, 0x1e}), "\x1b[Aa")
        << "a pretended shift";
    EXPECT_EQ(typed({extended, 0x1c, extended, 0x35, extended, 0x5b}), "\r/") << "of the pad; the key of a system";
    EXPECT_EQ(typed({0xe1, control, 0x45, 0xe1, control | released, 0xc5, 0x1e}), "a") << "the pause key";
}

TEST_F(ScanCodesTest, any_bytes) {
    std::mt19937 random(3);
    for (int i = 0; i < 100'000; ++i) EXPECT_LE(codes.feed(static_cast<std::uint8_t>(random())).size(), 4U);
}

} // namespace
} // namespace mxk::arch
