#include "kernel/console/line_editor.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"

namespace mxk::console {

void LineEditor::begin_line() {
    line_.assign({});
    recalled_ = 0;
    display_.draw(line_);
}

std::optional<std::string_view> LineEditor::feed(char byte) {
    Key const key = keys_.feed(byte);
    if (key != Key::None && pager_.is_waiting()) {
        bool const is_taken = pager_.press(key, byte) == CandidatePager::Answer::Taken;
        if (pager_.is_waiting()) return std::nullopt;
        display_.draw(line_);
        if (is_taken) {
            last_key_ = key;
            return std::nullopt;
        }
    }
    if (key == Key::Enter) {
        last_key_ = key;
        display_.leave();
        history_.add(line_.view());
        return line_.view();
    }
    if (key == Key::None) return std::nullopt;
    edit(key, byte);
    last_key_ = key;
    return std::nullopt;
}

void LineEditor::edit(Key key, char byte) {
    std::size_t const cursor = line_.cursor();
    std::size_t const end = line_.size();
    std::size_t const before = cursor - std::min<std::size_t>(cursor, 1);
    std::size_t const behind = std::min(cursor + 1, end);
    switch (key) {
    case Key::Character: return insert({&byte, 1});
    case Key::Left: return move_to(before);
    case Key::Right: return move_to(behind);
    case Key::WordLeft: return move_to(line_.word_begin());
    case Key::WordRight: return move_to(line_.word_end());
    case Key::Home: return move_to(0);
    case Key::End: return move_to(end);
    case Key::Backspace: return erase(before, cursor);
    case Key::Delete: return erase(cursor, behind);
    case Key::EraseToStart: return erase(0, cursor);
    case Key::EraseToEnd: return erase(cursor, end);
    case Key::EraseWord: return erase(line_.word_begin(), cursor);
    case Key::Up: return recall(true);
    case Key::Down: return recall(false);
    case Key::Complete: return complete(last_key_ == Key::Complete);
    case Key::Redraw: display_.clear_screen(); return display_.draw(line_);
    case Key::Interrupt: return interrupt();
    case Key::Refused: return display_.bell();
    case Key::Enter: // feed() keeps it
    case Key::None: return;
    }
}

void LineEditor::insert(std::string_view text) {
    std::size_t const at = line_.cursor();
    if (!line_.insert(text)) return display_.bell();
    display_.update(line_, at);
}

void LineEditor::erase(std::size_t from, std::size_t to) {
    line_.erase(from, to);
    if (from != to) display_.update(line_, from);
}

void LineEditor::move_to(std::size_t position) {
    line_.move_to(position);
    display_.update(line_, line_.size());
}

void LineEditor::recall(bool older) {
    if (older ? recalled_ == history_.size() : recalled_ == 0) return display_.bell();
    if (recalled_ == 0) draft_ = line_;
    recalled_ = older ? recalled_ + 1 : recalled_ - 1;
    line_.assign(recalled_ == 0 ? draft_.view() : history_[recalled_ - 1]);
    display_.update(line_, 0);
}

void LineEditor::complete(bool again) {
    completer_.complete(line_.view().substr(0, line_.cursor()), candidates_);
    std::size_t const count = candidates_.sorted().size();
    if (count == 0) return display_.bell();
    std::string_view const missing = candidates_.common_prefix().substr(candidates_.word().size());
    bool const fits = missing.size() <= LineBuffer::capacity - line_.size();
    if (!missing.empty()) insert(missing);
    if (count == 1) {
        if (fits) insert(" "); // none behind a word that is not whole
        return;
    }
    if (again) return list_candidates();
    if (missing.empty()) display_.bell();
}

void LineEditor::list_candidates() {
    display_.leave();
    if (!pager_.start(candidates_)) display_.draw(line_);
}

void LineEditor::interrupt() {
    terminal_.write("^C");
    display_.leave();
    begin_line();
}

} // namespace mxk::console
