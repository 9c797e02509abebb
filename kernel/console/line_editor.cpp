#include "kernel/console/line_editor.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"

namespace mxk::console {

void LineEditor::begin_line() {
    line_.assign({});
    recalled_ = 0;
    is_cut_ = false;
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
    if (key != Key::None && is_searching_ && search(key, byte)) {
        last_key_ = key;
        return std::nullopt;
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
    case Key::Character: is_cut_ = is_cut_ || line_.size() == LineBuffer::capacity; return insert({&byte, 1});
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
    case Key::Search:
        is_searching_ = true;
        wanted_.clear();
        found_.reset();
        return show_search();
    case Key::Abort:
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
    if (from == to) return;
    is_cut_ = false;
    display_.update(line_, from);
}

void LineEditor::move_to(std::size_t position) {
    line_.move_to(position);
    display_.update(line_, line_.size());
}

void LineEditor::recall(bool older) {
    if (older ? recalled_ == history_.size() : recalled_ == 0) return display_.bell();
    if (recalled_ == 0) draft_ = line_;
    recalled_ = older ? recalled_ + 1 : recalled_ - 1;
    is_cut_ = false;
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
        char const last = candidates_.common_prefix().back();
        if (fits && last != ':' && last != '/') insert(" "); // none behind a word that is not whole
        return;
    }
    if (again) return list_candidates();
    if (missing.empty()) display_.bell();
}

void LineEditor::list_candidates() {
    display_.leave();
    if (!pager_.start(candidates_)) display_.draw(line_);
}

bool LineEditor::search(Key key, char byte) {
    FixedText<32> const before = wanted_;
    switch (key) {
    case Key::Character:
        if (wanted_.full()) return display_.bell(), true;
        wanted_.append({&byte, 1});
        if (!find(found_.value_or(0))) {
            wanted_ = before;
            display_.bell();
        }
        break;
    case Key::Backspace:
        wanted_.clear();
        wanted_.append(before.view().substr(0, before.view().size() - std::min<std::size_t>(before.view().size(), 1)));
        found_.reset();
        if (!wanted_.view().empty()) find(0);
        break;
    case Key::Search:
        if (!found_ || !find(*found_ + 1)) display_.bell();
        break;
    default:
        is_searching_ = false;
        if (key != Key::Abort && key != Key::Interrupt) accept_found();
        display_.erase();
        display_.draw(line_);
        return key == Key::Abort;
    }
    show_search();
    return true;
}

// The newest line from that age on that has what is wanted. False, and nothing changes, where there is none.
bool LineEditor::find(std::size_t first_age) {
    for (std::size_t age = first_age; age < history_.size(); ++age) {
        if (history_[age].find(wanted_.view()) == std::string_view::npos) continue;
        found_ = age;
        return true;
    }
    return false;
}

void LineEditor::show_search() {
    std::string_view const found = found_ ? history_[*found_] : std::string_view();
    display_.draw_search(wanted_.view(), found, found_ ? found.find(wanted_.view()) : 0);
}

void LineEditor::accept_found() {
    if (!found_) return;
    if (recalled_ == 0) draft_ = line_;
    recalled_ = *found_ + 1;
    is_cut_ = false;
    line_.assign(history_[*found_]);
}

void LineEditor::interrupt() {
    terminal_.write("^C");
    display_.leave();
    begin_line();
}

} // namespace mxk::console
