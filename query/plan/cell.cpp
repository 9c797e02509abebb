#include "query/plan/cell.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "base/format.hpp"
#include "query/expression/wide.hpp"

namespace mxk::query {
namespace {

// Dividing 128 bits by 64, one half after the other: the compiler's own division of 128 bits is a function that the
// kernel does not have.
struct Divided {
    wide::Unsigned quotient;
    std::uint64_t remainder;
};
Divided divide(wide::Unsigned value, std::uint64_t divisor) {
    auto const high = static_cast<std::uint64_t>(value >> 64);
    auto low = static_cast<std::uint64_t>(value);
    std::uint64_t remainder = high % divisor; // below the divisor, so the quotient of the rest has 64 bits
    asm("divq %2" : "+a"(low), "+d"(remainder) : "r"(divisor) : "cc");
    return {wide::Unsigned{high / divisor} << 64 | low, remainder};
}

// `digits` of them, or more if the value has more.
void append_digits(Cell& cell, wide::Unsigned value, unsigned digits) {
    FixedText<64> reversed;
    while (value != 0 || digits != 0) {
        auto const [rest, last] = divide(value, 10);
        char const digit = static_cast<char>('0' + last);
        reversed.append({&digit, 1});
        value = rest;
        if (digits != 0) --digits;
    }
    for (std::size_t at = reversed.view().size(); at != 0; --at) cell.append(reversed.view().substr(at - 1, 1));
}

// The decimal digits of a floating-point number, all of them: it is a number of 53 bits times a power of two, here a
// fixed-point number of 32-bit words, lowest first, the point behind the first `fraction_words`.
class RealDigits {
    static constexpr std::size_t fraction_words = 35; // down to 2^-1074
    static constexpr std::size_t words = fraction_words + 32;

  public:
    explicit RealDigits(double value) {
        auto const bits = std::bit_cast<std::uint64_t>(value);
        auto const exponent = static_cast<unsigned>(bits >> 52 & 0x7ff);
        std::uint64_t const mantissa = (bits & ((1ULL << 52) - 1)) | (exponent != 0 ? 1ULL << 52 : 0);
        unsigned const shift = 32 * fraction_words + std::max(exponent, 1U) - 1075;
        wide::Unsigned const shifted = wide::Unsigned{mantissa} << shift % 32;
        for (std::size_t i = 0; i < 3; ++i)
            if (std::size_t const at = shift / 32 + i; at < words)
                word_[at] = static_cast<std::uint32_t>(shifted >> 32 * i);
    }
    // Before the point, without zeros in front; then so many behind it.
    template <typename Sink> void write(Sink add, std::size_t behind) {
        std::array<std::uint8_t, 320> whole{};
        std::size_t count = 0;
        while (std::any_of(word_.begin() + fraction_words, word_.end(), [](std::uint32_t word) { return word != 0; }))
            whole[count++] = divide_whole();
        while (count != 0) add(whole[--count], true);
        for (std::size_t i = 0; i < behind; ++i) add(multiply_fraction(), false);
    }

  private:
    std::uint8_t divide_whole() { // by ten; gives the rest
        std::uint64_t rest = 0;
        for (std::size_t at = words; at-- != fraction_words;) {
            std::uint64_t const value = rest << 32 | word_[at];
            word_[at] = static_cast<std::uint32_t>(value / 10);
            rest = value % 10;
        }
        return static_cast<std::uint8_t>(rest);
    }
    std::uint8_t multiply_fraction() { // by ten; gives what is before the point then
        std::uint64_t carried = 0;
        for (std::size_t at = 0; at < fraction_words; ++at) {
            carried += std::uint64_t{word_[at]} * 10;
            word_[at] = static_cast<std::uint32_t>(carried);
            carried >>= 32;
        }
        return static_cast<std::uint8_t>(carried);
    }

    std::array<std::uint32_t, words> word_{};
};

constexpr std::size_t significant_digits = 17;

// The first digits that are not 0, one more than are wanted, and the place of the point: 0.d1d2... times 10^point.
struct Significant {
    std::array<std::uint8_t, significant_digits + 1> digit{};
    std::size_t count = 0;
    int point = 0;
};
Significant significant(double magnitude) {
    Significant result;
    bool has_rest = false; // behind these digits
    RealDigits(magnitude).write(
        [&](std::uint8_t digit, bool is_before_point) {
            bool const has_begun = result.count != 0 || digit != 0;
            if (has_begun && result.count < result.digit.size())
                result.digit[result.count++] = digit;
            else
                has_rest = has_rest || digit != 0;
            if (is_before_point) ++result.point;
            if (!is_before_point && !has_begun) --result.point;
        },
        345);
    std::uint8_t const next = result.digit.back();
    bool const is_odd = result.digit[significant_digits - 1] % 2 != 0;
    if (next > 5 || (next == 5 && (has_rest || is_odd))) { // the nearest of 17 digits, the even one in the middle
        std::size_t at = significant_digits;
        while (at != 0 && ++result.digit[at - 1] == 10) result.digit[--at] = 0;
        if (at == 0) {
            result.digit[0] = 1;
            ++result.point;
        }
    }
    result.count = significant_digits;
    while (result.count > 1 && result.digit[result.count - 1] == 0) --result.count;
    return result;
}

} // namespace

Cell decimal_cell(Int128 value, unsigned scale) {
    Cell cell;
    if (value < 0) cell.append("-");
    Cell all;
    append_digits(all, wide::magnitude(value), scale + 1);
    std::size_t const point = all.view().size() - scale;
    cell.append(all.view().substr(0, point));
    if (scale == 0) return cell;
    cell.append(".");
    cell.append(all.view().substr(point));
    return cell;
}

// As days_of(), the other way.
Cell date_cell(std::int32_t days) {
    std::int64_t const shifted = std::int64_t{days} + 719'468;
    std::int64_t const era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
    auto const day_of_era = static_cast<unsigned>(shifted - era * 146'097);
    unsigned const year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    unsigned const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned const from_march = (5 * day_of_year + 2) / 153;
    unsigned const month = from_march < 10 ? from_march + 3 : from_march - 9;
    std::int64_t const year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
    Cell cell;
    if (year < 0) cell.append("-");
    append_digits(cell, wide::magnitude(year), 4);
    cell.append("-");
    append_digits(cell, month, 2);
    cell.append("-");
    append_digits(cell, day_of_year - (153 * from_march + 2) / 5 + 1, 2);
    return cell;
}

Cell real_cell(double value) {
    constexpr int max_plain = 17; // digits before the point, or zeros behind it, before an exponent is written
    constexpr int min_plain = -5;
    if (value != value) return Cell("nan");
    Cell cell;
    if (std::bit_cast<std::uint64_t>(value) >> 63 != 0) cell.append("-");
    double const magnitude = value < 0 ? -value : value;
    if (magnitude == 0) {
        cell.append("0.0");
        return cell;
    }
    if (magnitude > 0x1.fffffffffffffp1023) {
        cell.append("inf");
        return cell;
    }
    Significant const found = significant(magnitude);
    auto const digit = [&](int at) { // 0 stands where there is none
        bool const is_there = at >= 0 && static_cast<std::size_t>(at) < found.count;
        char const text = static_cast<char>('0' + (is_there ? found.digit[static_cast<std::size_t>(at)] : 0));
        cell.append({&text, 1});
    };
    bool const is_plain = found.point <= max_plain && found.point >= min_plain;
    int const point = is_plain ? found.point : 1;
    if (point <= 0) cell.append("0");
    for (int at = 0; at < point; ++at) digit(at);
    cell.append(".");
    int const last = std::max(static_cast<int>(found.count), std::max(point, 0) + 1);
    for (int at = point; at < last; ++at) digit(at);
    if (!is_plain) format(cell, "e{}", found.point - 1);
    return cell;
}

void write_cell(TextSink& out, dataflow::Envelope const& rows, Field const& field, std::size_t row) {
    if (field.is_nullable() && rows.values<std::uint8_t>(field.validity)[row] == 0) return out.write("NULL");
    auto const whole = [&] {
        return with_whole(field.storage,
                          [&]<typename T>(T /*type*/) { return Int128{rows.values<T>(field.values)[row]}; });
    };
    switch (field.type.kind) {
    case Kind::Bool: return out.write(rows.values<std::uint8_t>(field.values)[row] != 0 ? "true" : "false");
    case Kind::F32: return out.write(real_cell(static_cast<double>(rows.values<float>(field.values)[row])).view());
    case Kind::F64: return out.write(real_cell(rows.values<double>(field.values)[row]).view());
    case Kind::Date: return out.write(date_cell(static_cast<std::int32_t>(whole())).view());
    case Kind::Text: return out.write(rows.values<std::string_view>(field.values)[row]);
    case Kind::Character: {
        char const character = static_cast<char>(whole());
        return out.write({&character, 1});
    }
    default: return out.write(decimal_cell(whole(), field.type.scale).view());
    }
}

} // namespace mxk::query
