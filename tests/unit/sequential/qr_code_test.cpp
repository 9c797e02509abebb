// QR codes: the numbers of the standard, and drawings that zbarimg has read (tests/system/test_qr.py reads others).
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/crc32.hpp"
#include "base/qr_code.hpp"

namespace mxk {
namespace {

TEST(QrCodes, format_and_version_as_in_the_standard) {
    EXPECT_EQ(QrCode::format_bits(0b00101), 0b100000011001110U); // ISO/IEC 18004, the example of the format information
    EXPECT_EQ(QrCode::version_bits(7), 0b000111110010010100U);   // the same of the version information
}

TEST(QrCodes, check_bytes_as_in_the_standard) {
    constexpr std::string_view data = "\x10\x20\x0c\x56\x61\x80\xec\x11\xec\x11\xec\x11\xec\x11\xec\x11"; // annex I
    std::array<std::uint8_t, 10> check{};
    QrCode::make_check_bytes(data, check.data(), check.size());
    EXPECT_EQ(check, (std::array<std::uint8_t, 10>{0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55}));
}

TEST(QrCodes, room_as_in_the_standard) { // table 7, level M
    constexpr std::array<std::size_t, QrCode::max_version> rooms = {20,  38,  61,   90,   122,  154,  178, 221, 262,
                                                                    311, 366, 419,  483,  528,  600,  656, 734, 816,
                                                                    909, 970, 1035, 1134, 1248, 1326, 1451};
    for (unsigned version = 1; version <= QrCode::max_version; ++version)
        EXPECT_EQ(QrCode::room(version), rooms[version - 1]);
}

// A text that fills the code of this version; as in the drawings that were read.
std::string full_text(unsigned version) {
    std::string text;
    for (std::size_t i = 0; i < QrCode::room(version); ++i) text += QrCode::alphabet[(i * i + i / 7) % 45];
    return text;
}

std::uint32_t sum_of_modules(QrCode const& code) {
    std::string modules;
    for (std::size_t row = 0; row < code.size(); ++row)
        for (std::size_t column = 0; column < code.size(); ++column) modules += code.is_dark(column, row) ? '#' : '.';
    return crc32(modules);
}

TEST(QrCodes, drawings_are_those_that_were_read) {
    static constinit QrCode code;
    std::vector<std::uint32_t> sums;
    for (unsigned version = 1; version <= QrCode::max_version; ++version) {
        code.draw(full_text(version), version);
        sums.push_back(sum_of_modules(code));
    }
    EXPECT_EQ(sums, (std::vector<std::uint32_t>{0x563474ea, 0xc0d3e20a, 0x35d7b74a, 0xa3394e73, 0xdb026395,
                                                0x9cbde393, 0x03b22001, 0x911a774c, 0x9abe6054, 0xe5d6085c,
                                                0xc7121038, 0x406c1ab9, 0x7c0a349e, 0x674cba14, 0xe96b5dac,
                                                0x17fc1b3f, 0x4914eaa3, 0x0575406c, 0x6ad7ccbc, 0xd1a4566a,
                                                0xee082005, 0xf51c7af4, 0x6749abcb, 0x13cac7ba, 0xa6cd2daa}));
}

TEST(QrCodes, short_texts_are_padded) {
    static constinit QrCode code;
    code.draw("", 1);
    EXPECT_EQ(code.size(), 21U);
    EXPECT_TRUE(code.is_dark(0, 0));
    EXPECT_FALSE(code.is_dark(7, 7));
    EXPECT_TRUE(code.is_dark(8, 13)); // always
    code.draw("A", 25);
    EXPECT_EQ(code.size(), 117U);
    EXPECT_EQ(sum_of_modules(code), 0xcf3d87ae); // as another encoder draws it, and the next ones
    code.draw("AC-42", 1);
    EXPECT_EQ(sum_of_modules(code), 0x0abc22f2U);
    code.draw("HELLO WORLD", 25);
    EXPECT_EQ(sum_of_modules(code), 0x1da37d1eU);
}

} // namespace
} // namespace mxk
