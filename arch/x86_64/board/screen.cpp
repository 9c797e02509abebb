#include "arch/x86_64/board/screen.hpp"

#include <cstddef>
#include <cstdint>

#include "arch/x86_64/board/pixels.hpp"
#include "arch/x86_64/board/serial.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "base/text_screen.hpp"

// Made by tools/font.py: 16 rows of 8 pixels for each character from blank to tilde, the leftmost in the highest bit.
extern "C" std::uint8_t const console_font[];

namespace mxk::arch {
namespace screen {
namespace {

// VGA text: a character and its colours for each cell.
class Cells {
  public:
    void open(boot::Framebuffer const& buffer, std::byte* memory) {
        pitch_ = buffer.pitch;
        memory_ = memory;
    }
    void paint(std::size_t column, std::size_t row, char character, bool has_cursor) const {
        constexpr unsigned grey_on_black = 0x0700;
        constexpr unsigned black_on_grey = 0x7000;
        *reinterpret_cast<std::uint16_t volatile*>(memory_ + row * pitch_ + column * 2) = static_cast<std::uint16_t>(
            (has_cursor ? black_on_grey : grey_on_black) | static_cast<unsigned char>(character));
    }

  private:
    std::size_t pitch_ = 0;
    std::byte* memory_ = nullptr;
};

class ScreenPainter final : public CellPainter {
  public:
    void open(boot::Framebuffer const& buffer, std::byte* memory) {
        is_text_ = buffer.kind == boot::Framebuffer::Kind::Text;
        is_text_ ? cells_.open(buffer, memory) : pixels_.open(buffer, memory, console_font);
    }
    void paint(std::size_t column, std::size_t row, char character, bool has_cursor) override {
        if (shows_code) return;
        is_text_ ? cells_.paint(column, row, character, has_cursor) : pixels_.paint(column, row, character, has_cursor);
    }
    [[nodiscard]] Pixels const& pixels() const { return pixels_; }
    [[nodiscard]] bool is_text() const { return is_text_; }

    bool shows_code = false;  // which characters would spoil: they are painted when it is taken away
    bool has_remains = false; // of a code, until all characters have been painted again

  private:
    bool is_text_ = false;
    Pixels pixels_;
    Cells cells_;
};

constinit ScreenPainter painter;
constinit TextScreen text_screen{painter};

} // namespace

void open(boot::Framebuffer const& buffer) {
    std::byte* const memory = map_device("multiboot2: frame buffer, address", buffer.range());
    if (memory == nullptr) return;
    painter.open(buffer, memory);
    if (painter.is_text())
        text_screen.resize(buffer.width, buffer.height);
    else
        text_screen.resize(painter.pixels().columns(), painter.pixels().rows());
}

void write_unlocked(std::string_view text) {
    text_screen.write(text);
}

void make_room(std::size_t lines) {
    take_code_away();
    text_screen.make_room(lines);
}

Result<void> expect_room_for_code(std::size_t modules) {
    if (text_screen.rows() == 0) return Error("expected a screen, as GRUB sets it up: got none");
    if (painter.is_text()) return Error("expected a screen of pixels, as GRUB sets it up: got VGA text");
    if (painter.pixels().module_pixels(modules) == 0)
        return Error::of("expected a screen of {} or more pixels on each side", modules + 2 * QrCode::quiet_zone);
    return {};
}

void show_code(QrCode const& code, std::string_view caption) {
    painter.has_remains = true;
    painter.shows_code = true;
    painter.pixels().paint_code(code, caption);
}

void take_code_away() {
    if (!painter.has_remains) return;
    painter.shows_code = false;
    text_screen.repaint();
    painter.has_remains = false;
}

} // namespace screen

void write_everywhere(std::string_view text) {
    serial::write_unlocked(text); // first: it can be relied on
    screen::write_unlocked(text);
}

} // namespace mxk::arch
