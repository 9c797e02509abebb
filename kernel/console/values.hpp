// What people type as the value of an option, and how it is printed back: counts (24M, 1.5K, 4Ki), numbers (0.1), lists
// of counts (1,2,4-8), words, and names of enumerators. A parser's error says what was expected and what came instead.
// K, M, G are powers of 1000; Ki, Mi, Gi of 1024; either case. Nothing is rounded: what cannot be exact is an error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::console {

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t low = 0,
                                  std::uint64_t high = std::numeric_limits<std::uint64_t>::max());
// With a suffix where one is exact and shortens it: 24M, 64Ki, 4096, 10001. parse_count() reads it back.
void print_count(TextSink& out, std::uint64_t count);

// No sign, no exponent, up to 18 digits.
Result<double> parse_number(std::string_view text, double low, double high);
// With up to nine digits after the point, as few as show them.
void print_number(TextSink& out, double number);

// Which of `names` `text` is.
Result<std::size_t> parse_name(std::string_view text, std::span<std::string_view const> names);

// Counts in the order in which they were typed; the same one may stand there twice (a run that is repeated).
class CountList {
  public:
    static constexpr std::size_t capacity = 64;

    constexpr CountList() = default;
    constexpr CountList(std::initializer_list<std::uint32_t> counts) {
        for (std::uint32_t const count : counts) add(count);
    }

    // False when the list is full.
    constexpr bool add(std::uint32_t count) {
        if (size_ == capacity) return false;
        counts_[size_++] = count;
        return true;
    }
    [[nodiscard]] constexpr std::span<std::uint32_t const> values() const { return {counts_.data(), size_}; }
    [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

  private:
    std::array<std::uint32_t, capacity> counts_{};
    std::size_t size_ = 0;
};

// "1,2,4", "1-4", "1,4-6": each element lies between `low` and `high`.
Result<CountList> parse_list(std::string_view text, std::uint32_t low, std::uint32_t high);
void print_list(TextSink& out, CountList const& list);

// Words that may be given more than once. They are views of what was typed: valid while the command runs.
class WordList {
  public:
    static constexpr std::size_t capacity = 32;

    // False when the list is full.
    constexpr bool add(std::string_view word) {
        if (size_ == capacity) return false;
        words_[size_++] = word;
        return true;
    }
    [[nodiscard]] constexpr std::span<std::string_view const> values() const { return {words_.data(), size_}; }

  private:
    std::array<std::string_view, capacity> words_{};
    std::size_t size_ = 0;
};

} // namespace mxk::console
