// A command line taken apart: commands end at ';', words at blanks, and neither counts inside '...' or "...". There is
// no escape character. Pure text; knows no command.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace mxk::console {

// Without blanks at either end.
std::string_view trimmed(std::string_view text);

// Takes the first command off `rest`, with its blanks, without its ';'. `rest` is empty after the last one.
std::string_view take_command(std::string_view& rest);

// The words of one command, quotes removed, in memory of its own.
class Words {
  public:
    static constexpr std::size_t max_words = 64;
    static constexpr std::size_t max_characters = 1024;

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
