// How the members of an options struct are parsed, printed, described and completed: OptionValue<T> for each type that
// options.hpp lists, and Bounds for those that have an order.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/values.hpp"

namespace mxk::console {

// The smallest and the largest legal value, for counts and for numbers.
struct Bounds {
    std::uint64_t low = 0;
    std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
    double real_low = 0;
    double real_high = 1e15; // what a double and nine digits after the point still show
    enum class Kind : std::uint8_t { None, Whole, Real, File } kind = Kind::None;
};
// Of a std::string_view: it names a file (arch/files.hpp), whose name Tab completes.
inline constexpr Bounds file_name{.kind = Bounds::Kind::File};

// Called by nothing: reaching it makes impossible bounds a compile-time error that carries this name.
void bounds_are_out_of_order_or_negative();
void bounds_do_not_fit_the_member();

template <std::integral Low, std::integral High> consteval Bounds between(Low low, High high) {
    if (low < Low{0} || high < High{0}) bounds_are_out_of_order_or_negative();
    auto const smallest = static_cast<std::uint64_t>(low);
    auto const largest = static_cast<std::uint64_t>(high);
    if (smallest > largest) bounds_are_out_of_order_or_negative();
    return {smallest, largest, static_cast<double>(smallest), static_cast<double>(largest), Bounds::Kind::Whole};
}
consteval Bounds between(double low, double high) {
    if (low < 0 || high < low) bounds_are_out_of_order_or_negative();
    return {.real_low = low, .real_high = high, .kind = Bounds::Kind::Real};
}

template <typename T> struct ValueOf { using Type = T; };
template <typename T> struct ValueOf<std::optional<T>> { using Type = T; };

// Whether bounds of this kind mean something for a member of type T, and lie within it.
template <typename T> constexpr bool bounds_fit(Bounds const& bounds) {
    if (bounds.kind == Bounds::Kind::None || std::is_same_v<T, double>) return true;
    if (bounds.kind == Bounds::Kind::File) return std::is_same_v<T, std::string_view>;
    if (bounds.kind == Bounds::Kind::Real) return false;
    if constexpr (std::unsigned_integral<T>) return bounds.high <= std::numeric_limits<T>::max();
    return std::is_same_v<T, CountList> && bounds.high <= std::numeric_limits<std::uint32_t>::max();
}

// A type of one's own: the functions that argument-dependent lookup finds.
template <typename T> struct OptionValue {
    static Result<void> parse(std::string_view text, T& value, Bounds const&) { return parse_value(text, value); }
    static void print(TextSink& out, T const& value) { print_value(out, value); }
    static void describe(TextSink& out) {
        if constexpr (requires { describe_value(out, T{}); }) {
            describe_value(out, T{});
        } else {
            out.write("VALUE");
        }
    }
    static void complete(Candidates& candidates) {
        if constexpr (requires { complete_value(candidates, T{}); }) complete_value(candidates, T{});
    }
};

template <> struct OptionValue<bool> {
    static Result<void> parse(std::string_view, bool& value, Bounds const&) {
        value = true;
        return {};
    }
    static void print(TextSink&, bool) {}
    static void describe(TextSink&) {}
    static void complete(Candidates&) {}
};

template <std::unsigned_integral T> struct OptionValue<T> {
    static Result<void> parse(std::string_view text, T& value, Bounds const& bounds) {
        std::uint64_t const high = std::min<std::uint64_t>(bounds.high, std::numeric_limits<T>::max());
        value = static_cast<T>(MXK_TRY(parse_count(text, bounds.low, high)));
        return {};
    }
    static void print(TextSink& out, T value) { print_count(out, value); }
    static void describe(TextSink& out) { out.write("COUNT"); }
    static void complete(Candidates&) {}
};

template <> struct OptionValue<double> {
    static Result<void> parse(std::string_view text, double& value, Bounds const& bounds) {
        value = MXK_TRY(parse_number(text, bounds.real_low, bounds.real_high));
        return {};
    }
    static void print(TextSink& out, double value) { print_number(out, value); }
    static void describe(TextSink& out) { out.write("NUMBER"); }
    static void complete(Candidates&) {}
};

template <> struct OptionValue<CountList> {
    static Result<void> parse(std::string_view text, CountList& value, Bounds const& bounds) {
        constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
        value = MXK_TRY(parse_list(text, static_cast<std::uint32_t>(std::min(bounds.low, largest)),
                                   static_cast<std::uint32_t>(std::min(bounds.high, largest))));
        return {};
    }
    static void print(TextSink& out, CountList const& value) { print_list(out, value); }
    static void describe(TextSink& out) { out.write("COUNT,COUNT-COUNT,..."); }
    static void complete(Candidates&) {}
};

template <> struct OptionValue<std::string_view> {
    static Result<void> parse(std::string_view text, std::string_view& value, Bounds const&) {
        value = text;
        return {};
    }
    static void print(TextSink& out, std::string_view value) { out.write(value); }
    static void describe(TextSink& out) { out.write("WORD"); }
    static void complete(Candidates&) {}
};

// One that may be left out where no constant says what then holds: prints nothing when it was.
template <typename T> struct OptionValue<std::optional<T>> {
    static Result<void> parse(std::string_view text, std::optional<T>& value, Bounds const& bounds) {
        return OptionValue<T>::parse(text, value.emplace(), bounds);
    }
    static void print(TextSink& out, std::optional<T> const& value) {
        if (value) OptionValue<T>::print(out, *value);
    }
    static void describe(TextSink& out) { OptionValue<T>::describe(out); }
    static void complete(Candidates& candidates) { OptionValue<T>::complete(candidates); }
};

template <> struct OptionValue<WordList> {
    static Result<void> parse(std::string_view text, WordList& value, Bounds const&) {
        if (!value.add(text)) return Error::of("expected up to {} of them, got '{}'", WordList::capacity, text);
        return {};
    }
    static void print(TextSink&, WordList const&) {}
    static void describe(TextSink& out) { out.write("WORD"); }
    static void complete(Candidates&) {}
};

template <typename E> struct NamedValue {
    E value;
    std::string_view name;
};

template <typename E>
requires std::is_enum_v<E>
struct OptionValue<E> {
    static Result<void> parse(std::string_view text, E& value, Bounds const&) {
        value = value_names(E{})[MXK_TRY(parse_name(text, names()))].value;
        return {};
    }
    static void print(TextSink& out, E value) {
        for (auto const& known : value_names(E{})) {
            if (known.value == value) out.write(known.name);
        }
    }
    static void describe(TextSink& out) {
        std::string_view separator;
        for (std::string_view const name : names()) {
            out.write(separator);
            out.write(name);
            separator = "|";
        }
    }
    static void complete(Candidates& candidates) {
        for (std::string_view const name : names()) candidates.offer(name);
    }

  private:
    static constexpr auto names() {
        constexpr auto table = value_names(E{});
        std::array<std::string_view, table.size()> result{};
        std::transform(table.begin(), table.end(), result.begin(), [](auto const& known) { return known.name; });
        return result;
    }
};

} // namespace mxk::console
