// How the line being typed stands on a terminal: prompt, text, cursor, drawn with as few bytes as the
// change needs. A line that is wider than the terminal is shown through a window that follows the cursor: no
// character of it stands in the last columns, so the terminal never wraps and what it shows is always known.
// Sends BS, CR, BEL and CSI C, D, H, J, K (ECMA-48). The sink turns "\n" into what its terminal needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/text.hpp"
#include "kernel/console/line_buffer.hpp"

namespace mxk::console {

class LineDisplay {
  public:
    // Of a terminal that does not tell, and the fewest that there is room in.
    static constexpr std::size_t terminal_columns = 80;
    static constexpr std::size_t min_columns = 48;

    // `prompt` outlives the display and is shorter than half the terminal.
    constexpr LineDisplay(TextSink& terminal, std::string_view prompt)
        : terminal_(terminal)
        , prompt_(prompt) {}

    // Draws all of it; the terminal's cursor stands in the first column of a row.
    void draw(LineBuffer const& line);

    // `line` differs from what is shown from character `changed_from` on (line.size() or more: only the cursor moved,
    // or the end was cut off).
    void update(LineBuffer const& line, std::size_t changed_from);

    // Takes what the row shows away.
    void erase() { terminal_.write("\r\x1b[K"); }
    // In place of the line: what is looked for in earlier ones, and as much of the one that was found as there is room
    // for, with what was looked for, which stands there at character `at`. The cursor stands behind it.
    void draw_search(std::string_view wanted, std::string_view found, std::size_t at);

    // Goes to the row below the line.
    void leave() { terminal_.write("\n"); }
    void clear_screen() { terminal_.write("\x1b[H\x1b[2J"); }
    void bell() { terminal_.write("\a"); }

    [[nodiscard]] static std::size_t columns_of(TextSink const& terminal) {
        return terminal.columns() == 0 ? terminal_columns : std::max(terminal.columns(), min_columns);
    }

  private:
    [[nodiscard]] std::size_t terminal_width() const { return columns_of(terminal_); }
    // How much of the line is seen at once; two columns stay free for the cursor, or ^C, behind the last character.
    [[nodiscard]] std::size_t columns() const { return terminal_width() - prompt_.size() - 2; }
    [[nodiscard]] std::size_t window_start(LineBuffer const& line) const;
    void move_to(std::size_t position);

    TextSink& terminal_;
    std::string_view prompt_;
    // What the terminal shows, as positions in the line: first_ <= cursor_, first_ <= end_ <= first_ + columns().
    std::size_t first_ = 0;
    std::size_t end_ = 0;
    std::size_t cursor_ = 0;
};

} // namespace mxk::console
