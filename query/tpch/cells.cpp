#include "query/tpch/cells.hpp"

#include "base/format.hpp"

namespace mxk::query::tpch {
namespace {

__extension__ using Wide = unsigned __int128;

// Dividing 128 bits by 64, one half after the other: the compiler's own division of 128 bits is a function that the
// kernel does not have.
struct Divided {
    Wide quotient;
    std::uint64_t remainder;
};
Divided divide(Wide value, std::uint64_t divisor) {
    auto const high = static_cast<std::uint64_t>(value >> 64);
    auto low = static_cast<std::uint64_t>(value);
    std::uint64_t remainder = high % divisor; // below the divisor, so the quotient of the rest has 64 bits
    asm("divq %2" : "+a"(low), "+d"(remainder) : "r"(divisor) : "cc");
    return {Wide{high / divisor} << 64 | low, remainder};
}

// `digits` of them, or more if the value has more.
void append_digits(Cell& cell, Wide value, unsigned digits) {
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

// The last `scale` digits stand behind the point.
void append_decimal(Cell& cell, Wide value, unsigned scale) {
    Cell all;
    append_digits(all, value, scale + 1);
    std::size_t const point = all.view().size() - scale;
    cell.append(all.view().substr(0, point));
    if (scale == 0) return;
    cell.append(".");
    cell.append(all.view().substr(point));
}

Wide magnitude_of(Sum value) {
    return value < 0 ? -static_cast<Wide>(value) : static_cast<Wide>(value);
}

} // namespace

Cell decimal_cell(Sum value, unsigned scale) {
    Cell cell;
    if (value < 0) cell.append("-");
    append_decimal(cell, magnitude_of(value), scale);
    return cell;
}

Cell number_cell(std::int64_t value) {
    Cell cell;
    format(cell, "{}", value);
    return cell;
}

Cell character_cell(std::uint8_t value) {
    Cell cell;
    char const character = static_cast<char>(value);
    cell.append({&character, 1});
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
    append_digits(cell, magnitude_of(year), 4);
    cell.append("-");
    append_digits(cell, month, 2);
    cell.append("-");
    append_digits(cell, day_of_year - (153 * from_march + 2) / 5 + 1, 2);
    return cell;
}

// Digit by digit: the sum's own are those of the quotient, and each one behind them is what is left, times ten, by the
// count. The last one is rounded, halves away from zero.
Cell average_cell(Sum sum, unsigned scale, std::int64_t count) {
    constexpr unsigned wanted_digits = 17;
    if (count == 0) return Cell("NULL");
    auto const divisor = static_cast<std::uint64_t>(count);
    auto [all, rest] = divide(magnitude_of(sum), divisor);
    unsigned digits = 0; // behind the first that is not 0
    for (Wide left = all; left != 0; left = divide(left, 10).quotient) ++digits;
    for (; digits < wanted_digits && rest != 0; ++scale) {
        auto const [digit, behind] = divide(Wide{rest} * 10, divisor);
        all = all * 10 + digit;
        rest = behind;
        if (all != 0) ++digits;
    }
    if (rest >= divisor - rest) ++all;
    for (; scale > 1; --scale) {
        auto const [shorter, last] = divide(all, 10);
        if (last != 0) break;
        all = shorter;
    }
    Cell cell;
    if (sum < 0 && all != 0) cell.append("-");
    append_decimal(cell, all, scale);
    if (scale == 0) cell.append(".0");
    return cell;
}

} // namespace mxk::query::tpch
