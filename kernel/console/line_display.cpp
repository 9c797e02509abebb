#include "kernel/console/line_display.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace mxk::console {

void LineDisplay::draw(LineBuffer const& line) {
    terminal_.write(prompt_);
    first_ = window_start(line);
    cursor_ = first_;
    end_ = first_;
    update(line, first_);
}

void LineDisplay::update(LineBuffer const& line, std::size_t changed_from) {
    if (window_start(line) != first_) {
        erase();
        return draw(line);
    }
    std::size_t const end = std::min(line.size(), first_ + columns());
    if (changed_from < end || end < end_) {
        std::size_t const from = std::clamp(changed_from, first_, end);
        move_to(from);
        terminal_.write(line.view().substr(from, end - from));
        cursor_ = end;
        if (end < end_) terminal_.write("\x1b[K");
        end_ = end;
    }
    move_to(line.cursor());
}

void LineDisplay::draw_search(std::string_view wanted, std::string_view found, std::size_t at) {
    erase();
    format(terminal_, "search '{}': ", wanted);
    std::size_t const room = terminal_width() - std::string_view("search '': ").size() - wanted.size() - 1;
    terminal_.write(found.substr(at > room / 2 ? at - room / 2 : 0).substr(0, room));
}

std::size_t LineDisplay::window_start(LineBuffer const& line) const {
    if (line.size() <= columns()) return 0;
    if (line.cursor() >= first_ && line.cursor() - first_ <= columns()) return first_;
    // Out of sight: half a window of what stands before the cursor, so that the next few keys move nothing.
    return line.cursor() - std::min(line.cursor(), columns() / 2);
}

void LineDisplay::move_to(std::size_t position) {
    if (position + 1 == cursor_) {
        terminal_.write("\b");
    } else if (position < cursor_) {
        format(terminal_, "\x1b[{}D", cursor_ - position);
    } else if (position > cursor_) {
        format(terminal_, "\x1b[{}C", position - cursor_);
    }
    cursor_ = position;
}

} // namespace mxk::console
