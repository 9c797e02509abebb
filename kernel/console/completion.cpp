#include "kernel/console/completion.hpp"

#include <algorithm>

namespace mxk::console {
namespace {

bool begins_with(Candidate const& candidate, std::string_view word) {
    if (candidate.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (candidate[i] != word[i]) return false;
    }
    return true;
}

// Below zero, zero or above zero, as `a` stands before, is, or stands after `b` in the alphabet.
int compare(Candidate const& a, Candidate const& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    if (a.size() == b.size()) return 0;
    return a.size() < b.size() ? -1 : 1;
}

} // namespace

void Candidates::start(std::string_view word) {
    word_ = word;
    count_ = 0;
    any_ = false;
    has_more_ = false;
    common_.clear();
}

void Candidates::offer(std::string_view name, std::string_view lead) {
    Candidate const candidate{lead, name};
    if (candidate.size() > max_size || !begins_with(candidate, word_)) return;

    FixedText<max_size> const before = common_;
    common_.clear();
    for (std::size_t i = 0; i < candidate.size() && (!any_ || i < before.view().size()); ++i) {
        char const character = candidate[i];
        if (any_ && before.view()[i] != character) break;
        common_.append({&character, 1});
    }
    any_ = true;

    std::size_t at = 0;
    while (at < count_ && compare(kept_[at], candidate) < 0) ++at;
    bool const known = at < count_ && compare(kept_[at], candidate) == 0;
    if (known) return;
    has_more_ = has_more_ || count_ == capacity;
    if (at == capacity) return;
    count_ = std::min(count_ + 1, capacity); // of as many as there is room for the last one goes
    std::copy_backward(kept_.begin() + at, kept_.begin() + count_ - 1, kept_.begin() + count_);
    kept_[at] = candidate;
}

} // namespace mxk::console
