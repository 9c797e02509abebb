// Lines taken apart: commands end at ';' and at the end of a line, words at blanks, and where a word could begin '#'
// begins a comment, up to the end of the line. Nothing of that counts inside '...' or "...". There is no escape
// character. Pure text; knows no command.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace mxk::console {

inline constexpr std::size_t max_line =
    4096; // characters that are typed, or come from a script; longer lines are refused

// Without blanks at either end.
std::string_view trimmed(std::string_view text);

// Takes the first command off `rest`, with its blanks, without what ends it and without a comment, which goes, too.
// `rest` is empty after the last one.
std::string_view take_command(std::string_view& rest);

// The words of one command, quotes removed, in memory of its own.
class Words {
  public:
    static constexpr std::size_t max_words = 64;
    static constexpr std::size_t max_characters = max_line;

    Words() = default;
    Words(Words const&) = delete; // the views look into the object
    Words& operator=(Words const&) = delete;

    // Forgets the words before. Errors: a quote that never ends, too many words or characters.
    Result<void> split(std::string_view command);

    // Valid until the next split().
    [[nodiscard]] std::span<std::string_view const> all() const { return {words_.data(), count_}; }

  private:
    std::array<char, max_characters> characters_;
    std::array<std::string_view, max_words> words_;
    std::size_t count_ = 0;
};

} // namespace mxk::console
