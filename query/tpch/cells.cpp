#include "query/tpch/cells.hpp"

#include <bit>

#include "base/format.hpp"
#include "base/panic.hpp"

namespace mxk::query::tpch {
namespace {

__extension__ using Wide = unsigned __int128;

Wide power_of_ten(unsigned exponent) {
    Wide result = 1;
    for (; exponent != 0; --exponent) result *= 10;
    return result;
}

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
    FixedText<40> reversed;
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

double as_double(Sum value) {
    auto const small = static_cast<std::int64_t>(value);
    if (small == value) return static_cast<double>(small);
    return static_cast<double>(static_cast<std::int64_t>(value >> 64)) * 0x1p64 +
           static_cast<double>(static_cast<std::uint64_t>(value));
}

} // namespace

Cell decimal_cell(Sum value, unsigned scale) {
    Cell cell;
    if (value < 0) cell.append("-");
    append_decimal(cell, static_cast<Wide>(value < 0 ? -value : value), scale);
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
    int const shifted = days + 719'468;
    int const era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
    auto const day_of_era = static_cast<unsigned>(shifted - era * 146'097);
    unsigned const year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    unsigned const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned const from_march = (5 * day_of_year + 2) / 153;
    unsigned const month = from_march < 10 ? from_march + 3 : from_march - 9;
    int const year = static_cast<int>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0);
    Cell cell;
    append_digits(cell, static_cast<unsigned>(year), 4);
    cell.append("-");
    append_digits(cell, month, 2);
    cell.append("-");
    append_digits(cell, day_of_year - (153 * from_march + 2) / 5 + 1, 2);
    return cell;
}

// value = mantissa * 2^exponent exactly, so the digits are those of mantissa * 10^scale * 2^exponent, rounded once.
Cell double_cell(double value) {
    Cell cell;
    if (value < 0) {
        cell.append("-");
        value = -value;
    }
    if (value == 0) {
        cell.append("0.0");
        return cell;
    }
    expect(value >= 1e-5 && value < 1e17, "a double that is printed has up to 17 digits before the point");
    unsigned scale = 17;
    for (double bound = 1; bound <= value && scale != 1; bound *= 10) --scale;
    for (double bound = 0.1; value < bound && scale < 22; bound /= 10) ++scale;
    auto const bits = std::bit_cast<std::uint64_t>(value);
    std::uint64_t const mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
    int const exponent = static_cast<int>(bits >> 52) - 1075;
    Wide const scaled = mantissa * power_of_ten(scale);
    Wide const rounded = exponent >= 0 ? scaled << exponent : (scaled + (Wide{1} << (-exponent - 1))) >> -exponent;
    append_decimal(cell, rounded, scale);
    return cell;
}

Cell average_cell(Sum sum, unsigned scale, std::int64_t count) {
    double unit = 1;
    for (unsigned digit = 0; digit < scale; ++digit) unit *= 10;
    return double_cell(as_double(sum) / unit / static_cast<double>(count));
}

} // namespace mxk::query::tpch
