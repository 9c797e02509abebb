#include "kernel/console/candidate_pager.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"

namespace mxk::console {

bool CandidatePager::start(Candidates const& candidates) {
    candidates_ = &candidates;
    auto const all = candidates.sorted();
    widest_ = 0;
    for (Candidate const& candidate : all) widest_ = std::max(widest_, candidate.size());
    columns_ = std::max<std::size_t>(1, LineDisplay::columns_of(terminal_) / (widest_ + 2));
    rows_ = (all.size() + columns_ - 1) / columns_;
    next_row_ = 0;
    if (rows_ > page_rows) {
        ask(true);
        return true;
    }
    show_rows(rows_);
    return false;
}

CandidatePager::Answer CandidatePager::press(Key key, char byte) {
    terminal_.write("\r\x1b[K");
    bool const is_page = key == Key::Character && (byte == ' ' || byte == 'y');
    if (is_page || key == Key::Enter) {
        show_rows(is_page ? page_rows : 1);
        if (is_waiting()) ask(false);
        return Answer::Taken;
    }
    end();
    return key == Key::Character && (byte == 'n' || byte == 'q') ? Answer::Taken : Answer::NotMeant;
}

// In one row, since it is taken away again.
void CandidatePager::ask(bool is_first) {
    std::size_t const count = candidates_->sorted().size();
    if (is_first)
        format(terminal_, "{}{} possibilities", candidates_->has_more() ? "more than " : "", count);
    else
        format(terminal_, "{} of {} rows", next_row_, rows_);
    terminal_.write(": y, space: a page; Enter: a row; n, q: no more ");
}

void CandidatePager::show_rows(std::size_t count) {
    auto const all = candidates_->sorted();
    for (std::size_t const end_row = std::min(rows_, next_row_ + count); next_row_ < end_row; ++next_row_) {
        std::size_t const first = next_row_ * columns_;
        std::size_t const last = std::min(first + columns_, all.size()) - 1;
        for (std::size_t i = first; i <= last; ++i) {
            format(terminal_, "{}{}", all[i].lead, all[i].name);
            for (std::size_t filled = all[i].size(); i != last && filled < widest_ + 2; ++filled) terminal_.write(" ");
        }
        terminal_.write("\n");
    }
    if (next_row_ == rows_) end();
}

void CandidatePager::end() {
    candidates_ = nullptr;
}

} // namespace mxk::console
