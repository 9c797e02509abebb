// Characters in frame buffers of several depths and sizes.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "arch/x86_64/board/pixels.hpp"

namespace mxk::arch {
namespace {

constexpr std::size_t characters = '~' - ' ' + 1;

// A font in which a character's first row is its code, and all others are empty.
constexpr auto font = [] {
    std::array<std::uint8_t, characters * Pixels::glyph_rows> made{};
    for (std::size_t i = 0; i < characters; ++i) made[i * Pixels::glyph_rows] = static_cast<std::uint8_t>(' ' + i);
    return made;
}();

// A screen in memory of exactly its size, with some bytes behind each row.
class MemoryScreen {
  public:
    MemoryScreen(std::uint32_t width, std::uint32_t height, std::uint8_t bits, std::array<boot::ColorField, 3> colors)
        : buffer_{.pitch = width * ((bits + 7U) / 8) + 12,
                  .width = width,
                  .height = height,
                  .bits_per_pixel = bits,
                  .colors = colors}
        , memory_(buffer_.range().bytes, std::byte{0x77}) {
        pixels.open(buffer_, memory_.data(), font.data());
    }
    [[nodiscard]] std::uint32_t at(std::size_t x, std::size_t y) const {
        std::size_t const bytes = (buffer_.bits_per_pixel + 7U) / 8;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i)
            value |= std::to_integer<std::uint32_t>(memory_[y * buffer_.pitch + x * bytes + i]) << (8 * i);
        return value;
    }
    void paint_all(char character) {
        for (std::size_t row = 0; row < pixels.rows(); ++row)
            for (std::size_t column = 0; column < pixels.columns(); ++column)
                pixels.paint(column, row, character, false);
    }
    // Bytes that nobody has painted.
    [[nodiscard]] std::size_t untouched() const {
        return static_cast<std::size_t>(std::count(memory_.begin(), memory_.end(), std::byte{0x77}));
    }

    Pixels pixels;

  private:
    boot::Framebuffer buffer_;
    std::vector<std::byte> memory_;
};

constexpr std::array<boot::ColorField, 3> of_24{{{16, 8}, {8, 8}, {0, 8}}};
constexpr std::array<boot::ColorField, 3> of_16{{{11, 5}, {5, 6}, {0, 5}}};
constexpr std::array<boot::ColorField, 3> of_30{{{20, 10}, {10, 10}, {0, 10}}};

TEST(Pixels, one_character_in_every_depth) {
    struct Depth {
        std::uint8_t bits;
        std::array<boot::ColorField, 3> colors;
        std::uint32_t foreground;
    };
    for (Depth const& depth :
         {Depth{32, of_24, 0xd0'd0d0}, Depth{24, of_24, 0xd0'd0d0}, Depth{16, of_16, 0b11010'110100'11010},
          Depth{32, of_30, 0x340U << 20 | 0x340U << 10 | 0x340U}}) {
        MemoryScreen screen(24, 32, depth.bits, depth.colors);
        EXPECT_EQ(screen.pixels.columns(), 3U);
        EXPECT_EQ(screen.pixels.rows(), 2U);
        screen.pixels.paint(1, 1, 'A', false); // 0x41
        for (std::size_t x = 0; x < 8; ++x) {
            EXPECT_EQ(screen.at(8 + x, 16), x == 1 || x == 7 ? depth.foreground : 0U) << int{depth.bits} << " " << x;
            EXPECT_EQ(screen.at(8 + x, 17), 0U);
        }
        EXPECT_EQ(screen.untouched(), (24U * 32 - 8 * 16) * ((depth.bits + 7U) / 8) + 12 * 32)
            << "its cell and no other";
        screen.pixels.paint(1, 1, ' ', true);
        EXPECT_EQ(screen.at(8, 29), 0U);
        EXPECT_EQ(screen.at(8, 30), depth.foreground) << "the cursor";
        EXPECT_EQ(screen.at(15, 31), depth.foreground);
    }
}

TEST(Pixels, many_pixels_make_larger_characters) {
    struct Size {
        std::uint32_t width;
        std::uint32_t height;
        std::size_t columns;
        std::size_t rows;
    };
    for (Size const& size : {Size{640, 480, 80, 30}, Size{1280, 800, 160, 50}, Size{1920, 1080, 120, 33},
                             Size{3840, 2160, 120, 33}, Size{7680, 4320, 120, 33}, Size{5, 5, 0, 0}}) {
        MemoryScreen screen(size.width, size.height, 16, of_16);
        EXPECT_EQ(screen.pixels.columns(), size.columns) << size.width;
        EXPECT_EQ(screen.pixels.rows(), size.rows) << size.width;
        screen.paint_all('A'); // AddressSanitizer sees each byte too far
    }
    MemoryScreen screen(3840, 2160, 32, of_24);
    screen.pixels.paint(0, 0, 'A', false);
    EXPECT_EQ(screen.at(3, 0), 0U);
    EXPECT_EQ(screen.at(4, 0), 0xd0'd0d0U);
    EXPECT_EQ(screen.at(7, 3), 0xd0'd0d0U) << "each pixel four times as wide and high";
    EXPECT_EQ(screen.at(8, 3), 0U);
    EXPECT_EQ(screen.at(7, 4), 0U);
}

TEST(Pixels, a_code_is_as_large_as_it_fits_above_its_line) {
    static constinit QrCode code;
    code.draw("TEXT", 1);
    MemoryScreen screen(200, 160, 32, of_24);
    std::size_t const modules = code.size() + 2 * QrCode::quiet_zone; // 29
    ASSERT_EQ(screen.pixels.module_pixels(code.size()), 4U) << "128 rows of pixels are above the line";
    screen.paint_all('A');
    screen.pixels.paint_code(code, "1/2 and more than the screen has columns");
    std::size_t const left = (200 - modules * 4) / 2;
    for (std::size_t y = 0; y < 144; ++y) {
        for (std::size_t x = 0; x < 200; ++x) {
            bool const is_in_square = x >= left && x < left + modules * 4 && y < modules * 4;
            std::size_t const column = (x - left) / 4 - QrCode::quiet_zone;
            std::size_t const row = y / 4 - QrCode::quiet_zone;
            bool const is_dark =
                !is_in_square || (column < code.size() && row < code.size() && code.is_dark(column, row));
            ASSERT_EQ(screen.at(x, y), is_dark ? 0U : 0xd0'd0d0U) << x << " " << y;
        }
    }
    for (std::size_t x = 0; x < 8; ++x) EXPECT_EQ(screen.at(x, 144) != 0, ('1' >> (7 - x) & 1) != 0);
    EXPECT_EQ(MemoryScreen(28, 500, 32, of_24).pixels.module_pixels(code.size()), 0U);
    EXPECT_EQ(MemoryScreen(500, 60, 32, of_24).pixels.module_pixels(code.size()), 0U);
    EXPECT_EQ(MemoryScreen(5, 5, 32, of_24).pixels.module_pixels(code.size()), 0U);
}

} // namespace
} // namespace mxk::arch
