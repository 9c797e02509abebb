#include "kernel/console/words.hpp"

#include <algorithm>

namespace mxk::console {
namespace {

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
constexpr bool is_quote(char c) {
    return c == '\'' || c == '"';
}

// The quote that is open behind `c` when `open` (or 0) was open before it.
constexpr char quote_after(char open, char c) {
    if (open == 0) return is_quote(c) ? c : char{0};
    return c == open ? char{0} : open;
}

} // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view take_command(std::string_view& rest) {
    char open = 0;
    std::size_t end = 0;
    bool is_comment = false;
    for (; end < rest.size(); ++end) {
        char const c = rest[end];
        is_comment = open == 0 && c == '#' && (end == 0 || is_blank(rest[end - 1]));
        if (is_comment || (open == 0 && (c == ';' || c == '\n'))) break;
        open = quote_after(open, c);
    }
    std::string_view const command = rest.substr(0, end);
    if (is_comment) end = std::min(rest.find('\n', end), rest.size());
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return command;
}

Result<void> Words::split(std::string_view command) {
    count_ = 0;
    if (command.size() > characters_.size()) {
        return Error::of("a command has up to {} characters, this one has {}", max_characters, command.size());
    }
    std::size_t used = 0;
    std::size_t begin = 0;
    bool inside_word = false; // a word may be empty: ''
    char open = 0;
    auto const finish = [&] {
        if (!inside_word) return true;
        if (count_ == words_.size()) return false;
        words_[count_++] = {characters_.data() + begin, used - begin};
        inside_word = false;
        return true;
    };
    for (char const c : command) {
        char const before = open;
        open = quote_after(open, c);
        if (before == 0 && is_blank(c)) {
            if (!finish()) return Error::of("a command has up to {} words", max_words);
            continue;
        }
        if (!inside_word) begin = used;
        inside_word = true;
        if (open == before) characters_[used++] = c; // else c opened or closed a quote
    }
    if (open != 0) return Error::of("the quote {} is never closed", open);
    if (!finish()) return Error::of("a command has up to {} words", max_words);
    return {};
}

} // namespace mxk::console
