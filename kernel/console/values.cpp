#include "kernel/console/values.hpp"

#include <algorithm>
#include <optional>

#include "base/format.hpp"

namespace mxk::console {
namespace {

constexpr std::uint64_t max_count = std::numeric_limits<std::uint64_t>::max();

struct Suffix {
    std::string_view text;
    std::uint64_t factor;
};
// In the order in which print_count() tries them: decimal ones first, the largest of each kind first.
constexpr auto suffixes = std::array{
    Suffix{"G", 1'000'000'000}, Suffix{"M", 1'000'000},   Suffix{"K", 1'000},
    Suffix{"Gi", 1ULL << 30},   Suffix{"Mi", 1ULL << 20}, Suffix{"Ki", 1ULL << 10},
};
constexpr std::uint64_t min_with_suffix = 10'000; // smaller ones are read faster as they are

// Whether `text` ends with the suffix, in either case: people type 24m as well as 24M.
bool ends_with(std::string_view text, std::string_view suffix) {
    constexpr auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return text.size() >= suffix.size() &&
           std::equal(suffix.begin(), suffix.end(), text.end() - static_cast<std::ptrdiff_t>(suffix.size()),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

// Takes the suffix off `text`; 1 where there is none.
std::uint64_t take_factor(std::string_view& text) {
    for (Suffix const& suffix : suffixes) {
        if (!ends_with(text, suffix.text)) continue;
        text.remove_suffix(suffix.text.size());
        return suffix.factor;
    }
    return 1;
}

// Digits only; nothing for anything else, for no digit at all, and for what 64 bits cannot hold.
std::optional<std::uint64_t> parse_digits(std::string_view digits) {
    if (digits.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (char const c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        auto const digit = static_cast<std::uint64_t>(c - '0');
        if (value > (max_count - digit) / 10) return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

std::uint64_t power_of_ten(std::size_t exponent) {
    std::uint64_t power = 1;
    for (; exponent > 0; --exponent) power *= 10;
    return power;
}

struct Decimal {
    std::uint64_t whole = 0;
    std::uint64_t fraction = 0; // in units of 1 / 10^digits
    std::size_t digits = 0;
};

// "12", "12.5", ".5" with up to `max_digits` after the point, zeros at the end not counted.
std::optional<Decimal> parse_decimal(std::string_view text, std::size_t max_digits) {
    std::size_t const point = text.find('.');
    if (point == std::string_view::npos) {
        auto const whole = parse_digits(text);
        if (!whole) return std::nullopt;
        return Decimal{*whole, 0, 0};
    }
    auto const whole = point == 0 ? std::optional<std::uint64_t>(0) : parse_digits(text.substr(0, point));
    std::string_view behind = text.substr(point + 1);
    while (behind.size() > 1 && behind.ends_with('0')) behind.remove_suffix(1);
    auto const fraction = parse_digits(behind);
    if (!whole || !fraction || behind.size() > max_digits) return std::nullopt;
    return Decimal{*whole, *fraction, behind.size()};
}

// The exact product, or nothing. Nine digits are enough for K, M and G, and keep fraction * factor below 2^63.
std::optional<std::uint64_t> exact_count(std::string_view text) {
    std::uint64_t const factor = take_factor(text);
    auto const decimal = parse_decimal(text, 9);
    if (!decimal) return std::nullopt;
    std::uint64_t const part = decimal->fraction * factor;
    std::uint64_t const unit = power_of_ten(decimal->digits);
    if (part % unit != 0 || decimal->whole > (max_count - part / unit) / factor) return std::nullopt;
    return decimal->whole * factor + part / unit;
}

} // namespace

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t low, std::uint64_t high) {
    auto const count = exact_count(text);
    if (count && *count >= low && *count <= high) return *count;
    if (high != max_count) return Error::of("expected a count such as 24M ({} to {}), got '{}'", low, high, text);
    if (low > 0) return Error::of("expected a count such as 24M (no less than {}), got '{}'", low, text);
    return Error::of("expected a count such as 24M, got '{}'", text);
}

void print_count(TextSink& out, std::uint64_t count) {
    auto const exact = std::find_if(suffixes.begin(), suffixes.end(),
                                    [&](Suffix const& suffix) { return count % suffix.factor == 0; });
    if (count < min_with_suffix || exact == suffixes.end()) return format(out, "{}", count);
    format(out, "{}{}", count / exact->factor, exact->text);
}

Result<double> parse_number(std::string_view text, double low, double high) {
    auto const decimal = parse_decimal(text, 18);
    if (decimal) {
        double const number =
            static_cast<double>(decimal->whole) +
            static_cast<double>(decimal->fraction) / static_cast<double>(power_of_ten(decimal->digits));
        if (number >= low && number <= high) return number;
    }
    FixedText<32> low_text;
    FixedText<32> high_text;
    print_number(low_text, low);
    print_number(high_text, high);
    return Error::of("expected a number such as 0.1 ({} to {}), got '{}'", low_text.view(), high_text.view(), text);
}

void print_number(TextSink& out, double number) {
    FixedText<32> digits;
    format(digits, "{:.9}", number);
    std::string_view text = digits.view();
    while (text.ends_with('0')) text.remove_suffix(1);
    if (text.ends_with('.')) text.remove_suffix(1);
    out.write(text);
}

Result<std::size_t> parse_name(std::string_view text, std::span<std::string_view const> names) {
    FixedText<160> list;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text) return i;
        format(list, "{}{}", i == 0 ? "" : ", ", names[i]);
    }
    return Error::of("expected one of {}, got '{}'", list.view(), text);
}

namespace {

// "4" or "4-6", into `list`; false for what is neither, or does not fit.
bool add_range(CountList& list, std::string_view text, std::uint32_t low, std::uint32_t high) {
    std::size_t const dash = std::min(text.find('-'), text.size());
    auto const first = exact_count(text.substr(0, dash));
    auto const last = dash == text.size() ? first : exact_count(text.substr(dash + 1));
    if (!first || !last || *first < low || *last > high || *first > *last) return false;
    for (std::uint64_t count = *first; count <= *last; ++count) {
        if (!list.add(static_cast<std::uint32_t>(count))) return false;
    }
    return true;
}

} // namespace

Result<CountList> parse_list(std::string_view text, std::uint32_t low, std::uint32_t high) {
    CountList list;
    for (std::size_t from = 0; from <= text.size();) {
        std::size_t const comma = std::min(text.find(',', from), text.size());
        if (!add_range(list, text.substr(from, comma - from), low, high)) break;
        if (comma == text.size()) return list;
        from = comma + 1;
    }
    return Error::of("expected up to {} counts such as 1,2,4 or 1-4 (each {} to {}), got '{}'", CountList::capacity,
                     low, high, text);
}

void print_list(TextSink& out, CountList const& list) {
    std::string_view separator;
    for (std::uint32_t const count : list.values()) {
        format(out, "{}{}", separator, count);
        separator = ",";
    }
}

} // namespace mxk::console
