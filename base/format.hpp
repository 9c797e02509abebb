// Formatting into a TextSink: format(sink, "{} of {:>8.2}", a, b). No allocation, no locale, usable before memory is
// up. Placeholder: {[:[<|>][0][width][.digits][x|o|b]]}: alignment (numbers right, text left by default), zero fill,
// min width, digits after the point for reals (default 2) or the max number of characters of a text, hexadecimal, octal
// or binary. Text is UTF-8: its characters are code points. {{ and }} stand for braces. The number of placeholders is
// checked against the arguments at compile time. May be called on any core; blocks only as the sink does.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"

namespace mxk {

struct FormatArgument {
    enum class Kind : std::uint8_t { Unsigned, Signed, Real, Boolean, Character, Text, Address };

    Kind kind;
    union {
        std::uint64_t unsigned_value;
        std::int64_t signed_value;
        double real_value;
        bool boolean_value;
        char character_value;
        std::string_view text_value;
    };

    constexpr FormatArgument(Kind address_kind, std::uint64_t value)
        : kind(address_kind)
        , unsigned_value(value) {}
    constexpr FormatArgument(bool value)
        : kind(Kind::Boolean)
        , boolean_value(value) {}
    constexpr FormatArgument(char value)
        : kind(Kind::Character)
        , character_value(value) {}
    constexpr FormatArgument(std::string_view value)
        : kind(Kind::Text)
        , text_value(value) {}
    constexpr FormatArgument(char const* value)
        : kind(Kind::Text)
        , text_value(value) {}
    template <std::unsigned_integral T>
    constexpr FormatArgument(T value)
        : kind(Kind::Unsigned)
        , unsigned_value(value) {}
    template <std::signed_integral T>
    constexpr FormatArgument(T value)
        : kind(Kind::Signed)
        , signed_value(value) {}
    template <std::floating_point T>
    constexpr FormatArgument(T value)
        : kind(Kind::Real)
        , real_value(value) {}
    template <typename T>
    FormatArgument(T const* value)
        : kind(Kind::Address)
        , unsigned_value(reinterpret_cast<std::uintptr_t>(value)) {}
    constexpr FormatArgument(PhysicalAddress value)
        : kind(Kind::Address)
        , unsigned_value(raw(value)) {}
    template <typename T>
    requires std::is_enum_v<T>
    constexpr FormatArgument(T value)
        : FormatArgument(static_cast<std::underlying_type_t<T>>(value)) {}
};

void format_erased(TextSink& sink, std::string_view pattern, std::span<FormatArgument const> arguments);

// Called by nothing: reaching it makes a wrong format string a compile-time error that carries this name.
void format_string_does_not_fit_its_arguments();

template <typename... Arguments> class FormatString {
  public:
    consteval FormatString(char const* pattern)
        : pattern_(pattern) {
        std::size_t placeholders = 0;
        for (std::size_t i = 0; i < pattern_.size(); ++i) {
            bool const doubled = i + 1 < pattern_.size() && pattern_[i + 1] == pattern_[i];
            if (pattern_[i] == '{' && doubled) {
                ++i;
            } else if (pattern_[i] == '{') {
                while (i < pattern_.size() && pattern_[i] != '}') ++i;
                if (i == pattern_.size()) format_string_does_not_fit_its_arguments();
                ++placeholders;
            } else if (pattern_[i] == '}') {
                if (!doubled) format_string_does_not_fit_its_arguments();
                ++i;
            }
        }
        if (placeholders != sizeof...(Arguments)) format_string_does_not_fit_its_arguments();
    }
    [[nodiscard]] constexpr std::string_view pattern() const { return pattern_; }

  private:
    std::string_view pattern_;
};

template <typename... Arguments>
void format(TextSink& sink, FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
        format_erased(sink, pattern.pattern(), {});
    } else {
        FormatArgument const erased[] = {FormatArgument(arguments)...};
        format_erased(sink, pattern.pattern(), erased);
    }
}

} // namespace mxk
