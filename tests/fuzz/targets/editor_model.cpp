#include "tests/fuzz/targets/editor_model.hpp"

#include <algorithm>

#include "kernel/console/history.hpp"
#include "kernel/console/line_buffer.hpp"

namespace mxk::fuzz {

using console::Key;

constexpr std::size_t screen_rows = 23; // and one for the question

void EditorModel::press(Key key, char byte) {
    listed_.clear();
    if (key == Key::None || (asks() && answer(key, byte))) return;
    if (is_searching_ && search(key, byte)) {
        last_key_ = key;
        return;
    }
    std::size_t const end = line_.size();
    switch (key) {
    case Key::Character: insert({byte}); break;
    case Key::Search: is_searching_ = true; break;
    case Key::Abort:
    case Key::Refused: ++bells_; break;
    case Key::Enter: enter(); break;
    case Key::Left: cursor_ -= cursor_ > 0 ? 1 : 0; break;
    case Key::Right: cursor_ += cursor_ < end ? 1 : 0; break;
    case Key::WordLeft: cursor_ = word_begin(); break;
    case Key::WordRight: cursor_ = word_end(); break;
    case Key::Home: cursor_ = 0; break;
    case Key::End: cursor_ = end; break;
    case Key::Up: recall(age_ + 1); break;
    case Key::Down: age_ == 0 ? static_cast<void>(++bells_) : recall(age_ - 1); break;
    case Key::Backspace: erase(cursor_ == 0 ? 0 : cursor_ - 1, cursor_); break;
    case Key::Delete: erase(cursor_, std::min(cursor_ + 1, end)); break;
    case Key::EraseToStart: erase(0, cursor_); break;
    case Key::EraseToEnd: erase(cursor_, end); break;
    case Key::EraseWord: erase(word_begin(), cursor_); break;
    case Key::Complete: complete(last_key_ == Key::Complete); break;
    case Key::Interrupt: begin_line(); break;
    case Key::Redraw:
    case Key::None: break;
    }
    last_key_ = key;
}

// False: the key is not meant for the list, which ends.
bool EditorModel::answer(Key key, char byte) {
    bool const is_page = key == Key::Character && (byte == 'y' || byte == ' ');
    bool const is_end = key == Key::Character && (byte == 'n' || byte == 'q');
    if (is_page || key == Key::Enter)
        list(is_page ? screen_rows : 1);
    else
        unlisted_.clear();
    if (!asks() && (is_page || is_end || key == Key::Enter)) last_key_ = key;
    return is_page || is_end || key == Key::Enter;
}

// False: the key is not meant for the search, which ends.
bool EditorModel::search(Key key, char byte) {
    if (key == Key::Character) {
        bool const is_found = wanted_.size() < 32 && find(wanted_ + byte, found_.value_or(0));
        is_found ? wanted_.push_back(byte) : static_cast<void>(++bells_);
        return true;
    }
    if (key == Key::Search) {
        if (!found_ || !find(wanted_, *found_ + 1)) ++bells_;
        return true;
    }
    if (key == Key::Backspace) {
        if (!wanted_.empty()) wanted_.pop_back();
        found_.reset();
        if (!wanted_.empty()) find(wanted_, 0);
        return true;
    }
    if (found_ && key != Key::Abort && key != Key::Interrupt) recall(*found_ + 1);
    is_searching_ = false;
    wanted_.clear();
    found_.reset();
    return key == Key::Abort;
}

bool EditorModel::find(std::string const& wanted, std::size_t from) {
    for (std::size_t age = from; age < history_.size(); ++age) {
        if (history_[age].find(wanted) == std::string::npos) continue;
        found_ = age;
        return true;
    }
    return false;
}

void EditorModel::list(std::size_t rows) {
    auto const end = unlisted_.begin() + static_cast<std::ptrdiff_t>(std::min(rows * per_row_, unlisted_.size()));
    listed_.assign(unlisted_.begin(), end);
    unlisted_.erase(unlisted_.begin(), end);
}

bool EditorModel::insert(std::string const& text) {
    if (line_.size() + text.size() > console::LineBuffer::capacity) {
        ++bells_;
        return false;
    }
    line_.insert(cursor_, text);
    cursor_ += text.size();
    return true;
}

void EditorModel::erase(std::size_t from, std::size_t to) {
    line_.erase(from, to - from);
    cursor_ = from;
}

void EditorModel::recall(std::size_t age) {
    if (age > history_.size()) {
        ++bells_;
        return;
    }
    if (age_ == 0) draft_ = line_;
    age_ = age;
    line_ = age == 0 ? draft_ : history_[age - 1];
    cursor_ = line_.size();
}

// One candidate is written out and a blank behind it, several as far as they agree; listed if Tab is pressed again.
// What does not fit is left out as a whole.
void EditorModel::complete(bool again) {
    console::Candidates candidates;
    std::string const before = line_.substr(0, cursor_); // the candidates keep views of it
    completer_.complete(before, candidates);
    auto const all = candidates.sorted();
    std::string const missing(candidates.common_prefix().substr(all.empty() ? 0 : candidates.word().size()));
    bool const is_whole = missing.empty() || insert(missing);
    if (all.size() == 1) {
        char const last = candidates.common_prefix().back();
        if (is_whole && last != ':' && last != '/') insert(" ");
    } else if (again) {
        std::size_t widest = 0;
        for (console::Candidate const& one : all) {
            unlisted_.push_back(std::string(one.lead) + std::string(one.name));
            widest = std::max(widest, one.size());
        }
        per_row_ = std::max<std::size_t>(1, 80 / (widest + 2));
        if (all.size() <= screen_rows * per_row_) list(screen_rows);
    }
    if (all.empty() || (all.size() > 1 && !again && missing.empty())) ++bells_;
}

void EditorModel::begin_line() {
    line_.clear();
    cursor_ = 0;
    age_ = 0;
}

void EditorModel::enter() {
    if (!line_.empty() && (history_.empty() || history_.front() != line_)) history_.insert(history_.begin(), line_);
    auto const size = [&] {
        std::size_t sum = 0;
        for (std::string const& line : history_) sum += line.size();
        return sum;
    };
    while (history_.size() > console::History::capacity || size() > console::History::max_characters)
        history_.pop_back();
    begin_line();
}

std::size_t EditorModel::word_begin() const {
    std::size_t at = cursor_;
    while (at > 0 && line_[at - 1] == ' ') --at;
    while (at > 0 && line_[at - 1] != ' ') --at;
    return at;
}

std::size_t EditorModel::word_end() const {
    return std::min(line_.find(' ', std::min(line_.find_first_not_of(' ', cursor_), line_.size())), line_.size());
}

} // namespace mxk::fuzz
