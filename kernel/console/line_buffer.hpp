// The text of the line being typed, and the cursor in it: bounded, and always cursor <= size. Knows no terminal.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "kernel/console/words.hpp"

namespace mxk::console {

class LineBuffer {
  public:
    static constexpr std::size_t capacity = max_line;

    [[nodiscard]] std::string_view view() const { return {characters_.data(), size_}; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t cursor() const { return cursor_; }

    // At the cursor, which then stands behind it. False, and nothing changes, where it would not fit.
    bool insert(std::string_view text);

    // Replaces everything, cut at `capacity`; the cursor stands at the end. `text` is no part of this line.
    void assign(std::string_view text);

    // Removes [from, to); the cursor then stands at `from`. from <= to <= size().
    void erase(std::size_t from, std::size_t to);

    // position <= size().
    void move_to(std::size_t position) { cursor_ = position; }

    // Where the word before the cursor begins, and where the word behind it ends: blanks separate words.
    [[nodiscard]] std::size_t word_begin() const;
    [[nodiscard]] std::size_t word_end() const;

  private:
    std::array<char, capacity> characters_{};
    std::size_t size_ = 0;
    std::size_t cursor_ = 0;
};

} // namespace mxk::console
