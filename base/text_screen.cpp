#include "base/text_screen.hpp"

#include <algorithm>

namespace mxk {
namespace {

constexpr char escape = 0x1b;
constexpr std::size_t max_number = 9999;
constexpr std::size_t tab_columns = 8;

} // namespace

void TextScreen::resize(std::size_t columns, std::size_t rows) {
    columns_ = std::min(columns, max_columns);
    rows_ = std::min(rows, max_rows);
    if (columns_ == 0 || rows_ == 0) columns_ = rows_ = 0;
    column_ = row_ = 0;
    state_ = State::Text;
    std::fill_n(cells_.begin(), rows_ * columns_, ' ');
    paint_all();
}

void TextScreen::repaint() {
    paint_all();
    if (rows_ != 0) show_cursor(true);
}

void TextScreen::paint_all() {
    for (std::size_t row = 0; row < rows_; ++row)
        for (std::size_t column = 0; column < columns_; ++column)
            painter_.paint(column, row, cells_[row * columns_ + column], false);
}

void TextScreen::write(std::string_view text) {
    if (rows_ == 0) return;
    show_cursor(false);
    for (char const character : text) take(character);
    show_cursor(true);
}

void TextScreen::make_room(std::size_t lines) {
    if (rows_ == 0 || row_ + lines < rows_) return;
    column_ = row_ = 0;
    erase(0, rows_ * columns_);
}

void TextScreen::take(char character) {
    switch (state_) {
    case State::Text: return take_control(character);
    case State::Escape: state_ = character == '[' ? State::Sequence : State::Text; return;
    case State::Sequence: return take_sequence(character);
    }
}

void TextScreen::take_control(char character) {
    switch (character) {
    case '\n': return next_line();
    case '\r': column_ = 0; return;
    case '\b':
        if (column_ > 0) --column_;
        return;
    case '\t':
        do put(' ');
        while (column_ % tab_columns != 0 && column_ < columns_);
        return;
    case escape:
        state_ = State::Escape;
        number_ = 0;
        return;
    default: break;
    }
    auto const code = static_cast<unsigned char>(character);
    if (code >= 0x80) return put('?');
    if (code >= 0x20 && code < 0x7f) put(character);
}

void TextScreen::take_sequence(char character) {
    if (character >= '0' && character <= '9') {
        number_ = std::min(number_ * 10 + static_cast<std::size_t>(character - '0'), max_number);
    } else if (character == ';') {
        number_ = 0;
    } else if (character >= '@' && character <= '~') {
        state_ = State::Text;
        obey(character);
    }
}

void TextScreen::obey(char command) {
    std::size_t const count = std::max<std::size_t>(number_, 1);
    std::size_t const here = row_ * columns_ + std::min(column_, columns_);
    switch (command) {
    case 'A': row_ -= std::min(count, row_); return;
    case 'B': row_ = std::min(row_ + count, rows_ - 1); return;
    case 'C': column_ = std::min(column_ + count, columns_ - 1); return;
    case 'D': column_ -= std::min(count, column_); return;
    case 'H': column_ = row_ = 0; return;
    case 'J': return erase(number_ == 2 ? 0 : here, rows_ * columns_);
    case 'K': return erase(here, (row_ + 1) * columns_);
    default: return;
    }
}

void TextScreen::put(char character) {
    if (column_ >= columns_) next_line();
    set(column_++, row_, character);
}

void TextScreen::next_line() {
    column_ = 0;
    if (row_ + 1 < rows_)
        ++row_;
    else
        scroll();
}

void TextScreen::scroll() {
    std::size_t const dropped = std::max<std::size_t>(rows_ / 2, 1);
    for (std::size_t row = 0; row < rows_; ++row) {
        for (std::size_t column = 0; column < columns_; ++column)
            set(column, row, row + dropped < rows_ ? cells_[(row + dropped) * columns_ + column] : ' ');
    }
    row_ = rows_ - dropped;
}

void TextScreen::erase(std::size_t first, std::size_t last) {
    for (std::size_t cell = first; cell < last; ++cell) set(cell % columns_, cell / columns_, ' ');
}

void TextScreen::set(std::size_t column, std::size_t row, char character) {
    char& cell = cells_[row * columns_ + column];
    if (cell == character) return;
    cell = character;
    painter_.paint(column, row, character, false);
}

void TextScreen::show_cursor(bool visible) {
    std::size_t const column = std::min(column_, columns_ - 1);
    painter_.paint(column, row_, cells_[row_ * columns_ + column], visible);
}

} // namespace mxk
