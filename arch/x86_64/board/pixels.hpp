// Characters and QR codes as pixels of a frame buffer of 15 to 32 bits for each pixel; larger characters on a screen of
// many pixels.
// Writes whole pixels only, and never reads. One core at a time; does not block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/qr_code.hpp"
#include "boot/boot_info.hpp"

namespace mxk::arch {

class Pixels {
  public:
    static constexpr std::size_t glyph_columns = 8;
    static constexpr std::size_t glyph_rows = 16;

    // `memory`: where the buffer is mapped. `font`: `glyph_rows` bytes for each character from blank to tilde, a row of
    // pixels each, the leftmost in the highest bit.
    void open(boot::Framebuffer const& buffer, std::byte* memory, std::uint8_t const* font) {
        buffer_ = buffer;
        memory_ = memory;
        font_ = font;
        scale_ = std::max<std::size_t>(buffer.width / pixels_for_each_scale, 1);
        pixel_bytes_ = (buffer.bits_per_pixel + 7U) / 8;
        for (boot::ColorField const& field : buffer.colors) {
            constexpr std::uint32_t light_grey = 0xd0; // of 8 bits
            if (field.bits == 0) continue;
            std::uint32_t const level =
                field.bits >= 8 ? light_grey << (field.bits - 8) : light_grey >> (8 - field.bits);
            foreground_ |= level << field.position;
        }
    }
    [[nodiscard]] std::size_t columns() const { return buffer_.width / (glyph_columns * scale_); }
    [[nodiscard]] std::size_t rows() const { return buffer_.height / (glyph_rows * scale_); }

    void paint(std::size_t column, std::size_t row, char character, bool has_cursor) const {
        auto const* const glyph = font_ + static_cast<std::size_t>(character - ' ') * glyph_rows;
        for (std::size_t y = 0; y < glyph_rows; ++y) {
            std::uint8_t const bits = has_cursor && y >= glyph_rows - cursor_rows ? 0xff : glyph[y];
            for (std::size_t copy = 0; copy < scale_; ++copy)
                paint_row(column * glyph_columns * scale_, (row * glyph_rows + y) * scale_ + copy, bits);
        }
    }

    // How many pixels each module of a code gets on each side, which has so many of them; 0: it does not fit. Below it
    // two rows of characters are left free.
    [[nodiscard]] std::size_t module_pixels(std::size_t modules) const {
        std::size_t const below = 2 * glyph_rows * scale_;
        std::size_t const height = buffer_.height - std::min<std::size_t>(buffer_.height, below);
        return std::min<std::size_t>(buffer_.width, height) / (modules + 2 * QrCode::quiet_zone);
    }
    // A code that fits, in the middle at the upper edge, and a line of text in the last row; all else is dark.
    void paint_code(QrCode const& code, std::string_view text) const {
        std::size_t const pixels = module_pixels(code.size());
        std::size_t const side = (code.size() + 2 * QrCode::quiet_zone) * pixels;
        std::size_t const left = (buffer_.width - side) / 2;
        fill(0, 0, buffer_.width, buffer_.height, 0);
        fill(left, 0, side, side, foreground_);
        for (std::size_t row = 0; row < code.size(); ++row)
            for (std::size_t column = 0; column < code.size(); ++column)
                if (code.is_dark(column, row))
                    fill(left + (column + QrCode::quiet_zone) * pixels, (row + QrCode::quiet_zone) * pixels, pixels,
                         pixels, 0);
        for (std::size_t i = 0; i < std::min(text.size(), columns()); ++i) paint(i, rows() - 1, text[i], false);
    }

  private:
    static constexpr std::size_t cursor_rows = 2;
    // Pixels are enlarged where the screen would have more than twice as many columns as the console expects.
    static constexpr std::size_t pixels_for_each_scale = 960;

    void paint_row(std::size_t x, std::size_t y, std::uint8_t bits) const {
        std::byte* pixel = memory_ + y * buffer_.pitch + x * pixel_bytes_;
        for (std::size_t i = 0; i < glyph_columns * scale_; ++i, pixel += pixel_bytes_)
            set(pixel, (bits >> (glyph_columns - 1 - i / scale_) & 1) != 0 ? foreground_ : 0);
    }
    void fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, std::uint32_t color) const {
        for (std::size_t row = y; row < y + height; ++row)
            for (std::size_t column = x; column < x + width; ++column)
                set(memory_ + row * buffer_.pitch + column * pixel_bytes_, color);
    }
    void set(std::byte* pixel, std::uint32_t color) const {
        switch (pixel_bytes_) {
        case 4: *reinterpret_cast<std::uint32_t volatile*>(pixel) = color; return;
        case 2: *reinterpret_cast<std::uint16_t volatile*>(pixel) = static_cast<std::uint16_t>(color); return;
        default:
            for (std::size_t i = 0; i < pixel_bytes_; ++i)
                *reinterpret_cast<std::uint8_t volatile*>(pixel + i) = static_cast<std::uint8_t>(color >> (8 * i));
        }
    }

    boot::Framebuffer buffer_{};
    std::byte* memory_ = nullptr;
    std::uint8_t const* font_ = nullptr;
    std::size_t scale_ = 1;
    std::size_t pixel_bytes_ = 4;
    std::uint32_t foreground_ = 0;
};

} // namespace mxk::arch
