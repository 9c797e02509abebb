// A screen of characters, as a terminal has it: text goes in, and each cell that changes is painted. Knows line ends,
// the return, backspace and tab, and of control sequences (ECMA-48) those that the console sends: erase the rest of a
// line or of the screen (K, J), home (H), and cursor movements (A to D); others are passed over. A line that is too
// long goes on in the next one. When the screen is full its upper half is dropped, so that a slow frame buffer is
// painted anew once for many lines. One core at a time; blocks as the painter does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mxk {

// Who shows the cells.
class CellPainter {
  public:
    // `has_cursor`: what is written next stands there.
    virtual void paint(std::size_t column, std::size_t row, char character, bool has_cursor) = 0;

  protected:
    ~CellPainter() = default;
};

class TextScreen {
  public:
    static constexpr std::size_t max_columns = 240;
    static constexpr std::size_t max_rows = 135;

    // An empty screen that paints nothing: resize() gives it cells.
    constexpr explicit TextScreen(CellPainter& painter)
        : painter_(painter) {}

    // Clears it. What is more than the largest numbers is not used.
    void resize(std::size_t columns, std::size_t rows);
    void write(std::string_view text);
    // All of it, where something else was shown in its place.
    void repaint();
    // Clears it unless so many lines can be written without dropping any: what follows stays together, if it fits.
    void make_room(std::size_t lines);

    [[nodiscard]] std::size_t columns() const { return columns_; }
    [[nodiscard]] std::size_t rows() const { return rows_; }

  private:
    enum class State : std::uint8_t { Text, Escape, Sequence };

    void paint_all();
    void take(char character);
    void take_control(char character);
    void take_sequence(char character);
    void obey(char command);
    void put(char character);
    void next_line();
    // Makes room for half a screen.
    void scroll();
    void erase(std::size_t first, std::size_t last); // cells, counted row by row; `last` not included
    void set(std::size_t column, std::size_t row, char character);
    void show_cursor(bool visible);

    CellPainter& painter_;
    std::size_t columns_ = 0;
    std::size_t rows_ = 0;
    std::size_t column_ = 0; // of the cursor; columns_: behind the last one, and the next character begins a line
    std::size_t row_ = 0;
    std::size_t number_ = 0; // the last one in the control sequence
    State state_ = State::Text;
    std::array<char, max_columns * max_rows> cells_{};
};

} // namespace mxk
