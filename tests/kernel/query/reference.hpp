// Queries once more, row at a time and in the plainest way, to compare plans with: values without storages, formulas as
// trees that are walked for each row, joins by two loops, groups by sorting. Written from what the plans' headers say,
// with none of their code but real_cell().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/format.hpp"
#include "query/plan/cell.hpp"
#include "query/plan/plan.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"

namespace mxk::query_tests {

using dataflow::GrowingArray;
using query::Expression;
using query::Function;
using query::Int128;
using query::JoinKind;
using query::Kind;
using query::SetKind;

enum class Class : std::uint8_t { Truth, Whole, Real, Day, Letter, Words };

// Of a column or a formula, with what its values are known to be.
struct Meaning {
    Class of = Class::Whole;
    std::uint8_t scale = 0;
    bool is_exact = true;       // the same in whatever order it is computed
    bool has_near_sums = false; // sums of it depend on the order in their last digits only
    int bits = 0;               // below 2^bits, without the sign
    int fraction = 0;           // of a real number: a multiple of 2^-fraction; of a day: bits of its column
};
constexpr int any_fraction = 10'000;

struct Value {
    bool is_null = false;
    double real = 0;
    std::string_view text{};
    Int128 number = 0; // a truth, a whole number, a day
};

// ---- arithmetic

constexpr Int128 int128_max = query::int128_max;

inline bool add_overflows(Int128 a, Int128 b, Int128& result) {
    return __builtin_add_overflow(a, b, &result);
}
// Bit by bit, on negative numbers, of which there are more.
inline bool multiply_overflows(Int128 a, Int128 b, Int128& result) {
    bool const is_negative = (a < 0) != (b < 0);
    Int128 const x = a < 0 ? a : -a;
    auto const y = b < 0 ? -static_cast<unsigned __int128>(b) : static_cast<unsigned __int128>(b);
    Int128 product = 0;
    for (unsigned bit = 128; bit-- != 0;) {
        if (add_overflows(product, product, product)) return true;
        if ((y >> bit & 1U) != 0 && add_overflows(product, x, product)) return true;
    }
    if (!is_negative && product == -int128_max - 1) return true;
    result = is_negative ? product : -product;
    return false;
}
inline Int128 scaled(Int128 number, unsigned from, unsigned to, bool& overflows) {
    for (; from < to; ++from) overflows = multiply_overflows(number, 10, number) || overflows;
    return number;
}
inline double to_real(Int128 number, unsigned scale) {
    double divisor = 1;
    for (; scale != 0; --scale) divisor *= 10;
    double const whole = number >= INT64_MIN && number <= INT64_MAX
                             ? static_cast<double>(static_cast<std::int64_t>(number))
                             : static_cast<double>(static_cast<std::int64_t>(number >> 64)) * 0x1p64 +
                                   static_cast<double>(static_cast<std::uint64_t>(number));
    return whole / divisor;
}
inline int bits_of(Int128 number) {
    int bits = 0;
    for (; number != 0 && number != -1; number >>= 1) ++bits;
    return bits + (number < 0 ? 1 : 0);
}

// Below 0, 0, above 0. Of two values that are there, of one meaning.
inline int compare(Class of, Value const& a, Value const& b) {
    switch (of) {
    case Class::Real:
        if (a.real != a.real || b.real != b.real) return (a.real != a.real ? 1 : 0) - (b.real != b.real ? 1 : 0);
        return a.real < b.real ? -1 : a.real > b.real ? 1 : 0;
    case Class::Letter:
    case Class::Words:
        for (std::size_t i = 0; i < a.text.size() && i < b.text.size(); ++i)
            if (a.text[i] != b.text[i])
                return static_cast<unsigned char>(a.text[i]) < static_cast<unsigned char>(b.text[i]) ? -1 : 1;
        return a.text.size() < b.text.size() ? -1 : a.text.size() > b.text.size() ? 1 : 0;
    default: return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
    }
}
// NULL comes last, and is equal to itself.
inline int order(Class of, Value const& a, Value const& b, bool is_descending = false) {
    if (a.is_null || b.is_null) return (a.is_null ? 1 : 0) - (b.is_null ? 1 : 0);
    return is_descending ? compare(of, b, a) : compare(of, a, b);
}

// ---- rows

struct ReferenceColumn {
    FixedText<32> name;
    Meaning meaning{};
};
struct ReferenceRows {
    static constexpr std::size_t max_columns = 6; // each may be NULL, so that an envelope has room for no more

    std::array<ReferenceColumn, max_columns> column{};
    std::size_t columns = 0;
    std::size_t rows = 0;
    GrowingArray<Value> cells;

    [[nodiscard]] Value const* row(std::size_t number) const { return cells.span().data() + number * columns; }
    void add_column(std::string_view name, Meaning const& meaning) {
        column[columns++] = {.name = name, .meaning = meaning};
    }
    void add_cell(Value const& value) { expect(cells.add(value), "a test has memory"); }
    void add_row(Value const* values, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) add_cell(values[i]);
    }
    // Behind the last row: what is known of the values, by them.
    void measure() {
        for (std::size_t at = 0; at < columns; ++at) {
            Meaning& meaning = column[at].meaning;
            if (meaning.of != Class::Whole && meaning.of != Class::Day) continue;
            meaning.bits = 0;
            for (std::size_t i = 0; i < rows; ++i)
                if (!row(i)[at].is_null) meaning.bits = std::max(meaning.bits, bits_of(row(i)[at].number));
        }
    }
};

// ---- formulas

struct Formula {
    enum class Operation : std::uint8_t {
        Column,
        Constant,
        Add,
        Subtract,
        Multiply,
        Equal,
        NotEqual,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
        And,
        Or,
        Not,
        IsNull,
        Choose,
        Between,
        IsIn,
        StartsWith,
        Contains
    };
    static constexpr std::size_t max_operands = 6;

    Operation operation = Operation::Constant;
    Meaning meaning{};
    std::size_t column = 0;
    Value constant{};
    std::array<Formula const*, max_operands> operands{};
    std::size_t count = 0;
};

class Evaluation {
    using Operation = Formula::Operation;

  public:
    // Of one row. All of a formula is computed, also what is not chosen, or is beside NULL.
    Value of(Formula const& formula, Value const* row) {
        std::array<Value, Formula::max_operands> values{};
        for (std::size_t i = 0; i < formula.count; ++i) values[i] = of(*formula.operands[i], row);
        auto const compared = [&](std::size_t a, std::size_t b, auto is_it) {
            Meaning const meaning = common(formula.operands[a]->meaning, formula.operands[b]->meaning);
            Value const x = converted(values[a], formula.operands[a]->meaning, meaning);
            Value const y = converted(values[b], formula.operands[b]->meaning, meaning);
            return x.is_null || y.is_null ? unknown() : truth(is_it(compare(meaning.of, x, y)));
        };
        switch (formula.operation) {
        case Operation::Column: return row[formula.column];
        case Operation::Constant: return formula.constant;
        case Operation::Add:
        case Operation::Subtract:
        case Operation::Multiply: return computed(formula, values[0], values[1]);
        case Operation::Equal: return compared(0, 1, [](int order) { return order == 0; });
        case Operation::NotEqual: return compared(0, 1, [](int order) { return order != 0; });
        case Operation::Less: return compared(0, 1, [](int order) { return order < 0; });
        case Operation::LessOrEqual: return compared(0, 1, [](int order) { return order <= 0; });
        case Operation::Greater: return compared(0, 1, [](int order) { return order > 0; });
        case Operation::GreaterOrEqual: return compared(0, 1, [](int order) { return order >= 0; });
        case Operation::And: return both(values[0], values[1], false);
        case Operation::Or: return both(values[0], values[1], true);
        case Operation::Not: return values[0].is_null ? unknown() : truth(values[0].number == 0);
        case Operation::IsNull: return truth(values[0].is_null);
        case Operation::Choose: {
            bool const is_first = !values[0].is_null && values[0].number != 0;
            Value const a = converted(values[1], formula.operands[1]->meaning, formula.meaning);
            Value const b = converted(values[2], formula.operands[2]->meaning, formula.meaning);
            return is_first ? a : b;
        }
        case Operation::Between:
            return both(compared(0, 1, [](int order) { return order >= 0; }),
                        compared(0, 2, [](int order) { return order <= 0; }), false);
        case Operation::IsIn: {
            Value result = truth(false);
            for (std::size_t i = 1; i < formula.count; ++i)
                result = both(result, compared(0, i, [](int order) { return order == 0; }), true);
            return result;
        }
        case Operation::StartsWith:
        case Operation::Contains: break;
        }
        if (values[0].is_null || values[1].is_null) return unknown();
        std::string_view const text = values[0].text;
        std::string_view const part = values[1].text;
        bool is_there = false;
        for (std::size_t at = 0; at + part.size() <= text.size() && !is_there; ++at) {
            is_there = text.substr(at, part.size()) == part;
            if (formula.operation == Operation::StartsWith) break;
        }
        return truth(is_there);
    }
    // As which values of these two are compared.
    static Meaning common(Meaning const& a, Meaning const& b) {
        return {.of = a.of == Class::Real || b.of == Class::Real ? Class::Real : a.of,
                .scale = std::max(a.scale, b.scale)};
    }
    // A value of one meaning as one of another: as compared and chosen ones are.
    Value converted(Value value, Meaning const& from, Meaning const& to) {
        if (value.is_null) return unknown();
        if (to.of == Class::Real && from.of == Class::Whole) value.real = to_real(value.number, from.scale);
        if (to.of == Class::Whole) value.number = scaled(value.number, from.scale, to.scale, has_overflowed_);
        return value;
    }
    [[nodiscard]] bool has_overflowed() const { return has_overflowed_; }
    void note_overflow() { has_overflowed_ = true; }

  private:
    static Value truth(bool value) { return {.number = value ? 1 : 0}; }
    static Value unknown() { return {.is_null = true}; }
    // `decisive`: true for or, false for and.
    static Value both(Value const& a, Value const& b, bool decisive) {
        for (Value const& value : {a, b})
            if (!value.is_null && (value.number != 0) == decisive) return truth(decisive);
        return a.is_null || b.is_null ? unknown() : truth(!decisive);
    }
    Value computed(Formula const& formula, Value a, Value b) {
        bool const is_product = formula.operation == Operation::Multiply;
        bool const is_difference = formula.operation == Operation::Subtract;
        bool const is_real = formula.meaning.of == Class::Real;
        if (is_real || !is_product) {
            a = converted(a, formula.operands[0]->meaning, formula.meaning);
            b = converted(b, formula.operands[1]->meaning, formula.meaning);
        }
        if (a.is_null || b.is_null) return unknown();
        Value result;
        if (is_real) {
            result.real = is_product ? a.real * b.real : is_difference ? a.real - b.real : a.real + b.real;
            return result;
        }
        bool const overflows = is_product      ? multiply_overflows(a.number, b.number, result.number)
                               : is_difference ? __builtin_sub_overflow(a.number, b.number, &result.number)
                                               : add_overflows(a.number, b.number, result.number);
        has_overflowed_ = has_overflowed_ || overflows;
        return overflows ? unknown() : result;
    }

    bool has_overflowed_ = false;
};

// ---- steps

struct ReferenceKey {
    Formula const* of_table;
    Formula const* of_rows;
};
struct ReferenceAggregate {
    Function function = Function::Count;
    Formula const* of = nullptr;
};

inline void filter_rows(ReferenceRows const& from, Formula const& condition, ReferenceRows& to,
                        Evaluation& evaluation) {
    for (std::size_t at = 0; at < from.columns; ++at) to.column[at] = from.column[at];
    to.columns = from.columns;
    for (std::size_t i = 0; i < from.rows; ++i) {
        Value const is_true = evaluation.of(condition, from.row(i));
        if (is_true.is_null || is_true.number == 0) continue;
        to.add_row(from.row(i), from.columns);
        ++to.rows;
    }
    to.measure();
}

// `to`: has its columns.
inline void map_rows(ReferenceRows const& from, std::span<Formula const* const> formulas, ReferenceRows& to,
                     Evaluation& evaluation) {
    for (std::size_t i = 0; i < from.rows; ++i)
        for (Formula const* formula : formulas) to.add_cell(evaluation.of(*formula, from.row(i)));
    to.rows = from.rows;
    to.measure();
}

// False: there are more than `max_rows`.
inline bool join_rows(JoinKind kind, ReferenceRows const& table, ReferenceRows const& rows,
                      std::span<ReferenceKey const> keys, std::size_t max_rows, ReferenceRows& to,
                      Evaluation& evaluation) {
    GrowingArray<Value> table_keys;
    for (std::size_t t = 0; t < table.rows; ++t)
        for (ReferenceKey const& key : keys)
            expect(table_keys.add(evaluation.of(*key.of_table, table.row(t))), "a test has memory");
    bool const has_pairs = kind == JoinKind::Inner || kind == JoinKind::Left;
    for (std::size_t at = 0; at < rows.columns; ++at) to.column[to.columns++] = rows.column[at];
    for (std::size_t at = 0; at < table.columns && has_pairs; ++at) to.column[to.columns++] = table.column[at];
    auto const add = [&](std::size_t row, Value const* of_table) {
        to.add_row(rows.row(row), rows.columns);
        for (std::size_t at = 0; at < table.columns && has_pairs; ++at)
            to.add_cell(of_table != nullptr ? of_table[at] : Value{.is_null = true});
        ++to.rows;
    };
    std::array<Value, 3> own;
    for (std::size_t i = 0; i < rows.rows && to.rows <= max_rows; ++i) {
        for (std::size_t k = 0; k < keys.size(); ++k) own[k] = evaluation.of(*keys[k].of_rows, rows.row(i));
        bool has_partner = false;
        for (std::size_t t = 0; t < table.rows; ++t) {
            bool is_equal = true;
            for (std::size_t k = 0; k < keys.size() && is_equal; ++k) {
                Value const& other = table_keys[t * keys.size() + k];
                is_equal =
                    !own[k].is_null && !other.is_null && compare(keys[k].of_rows->meaning.of, own[k], other) == 0;
            }
            has_partner = has_partner || is_equal;
            if (is_equal && has_pairs) add(i, table.row(t));
            if (is_equal && !has_pairs) break;
        }
        if (has_partner ? kind == JoinKind::Semi : kind == JoinKind::Left || kind == JoinKind::Anti) add(i, nullptr);
    }
    to.measure();
    return to.rows <= max_rows;
}

// Of the rows' values in one group.
inline Value aggregate(ReferenceAggregate const& wanted, std::span<Value const> values, Meaning const& meaning,
                       Evaluation& evaluation) {
    Value result;
    std::size_t count = 0;
    bool overflows = false;
    for (Value const& value : values) {
        if (wanted.function != Function::Count && value.is_null) continue;
        ++count;
        bool const is_better = count == 1 ||
                               (wanted.function == Function::Min && compare(meaning.of, value, result) < 0) ||
                               (wanted.function == Function::Max && compare(meaning.of, value, result) > 0);
        switch (wanted.function) {
        case Function::Sum:
        case Function::Average:
            overflows = add_overflows(result.number, value.number, result.number) || overflows;
            result.real += value.real;
            break;
        case Function::Min:
        case Function::Max:
            if (is_better) result = value;
            break;
        default: break;
        }
    }
    if (overflows) evaluation.note_overflow();
    if (wanted.function == Function::CountDistinct) {
        count = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            bool const was_there = std::ranges::any_of(
                values.first(i), [&](Value const& other) { return order(meaning.of, values[i], other) == 0; });
            if (!values[i].is_null && !was_there) ++count;
        }
        return {.number = static_cast<Int128>(count)};
    }
    if (wanted.function == Function::Count || wanted.function == Function::CountValues)
        return {.number = static_cast<Int128>(count)};
    if (count == 0) return {.is_null = true};
    if (wanted.function != Function::Average) return result;
    double const sum = meaning.of == Class::Real ? result.real : to_real(result.number, meaning.scale);
    return {.real = sum / static_cast<double>(count)};
}

// `to`: has its columns, the keys first.
inline void group_rows(ReferenceRows const& from, std::span<Formula const* const> keys,
                       std::span<ReferenceAggregate const> aggregates, ReferenceRows& to, Evaluation& evaluation) {
    std::size_t const width = keys.size() + aggregates.size();
    GrowingArray<Value> values;
    GrowingArray<std::size_t> rows;
    for (std::size_t i = 0; i < from.rows; ++i) {
        for (Formula const* const key : keys) expect(values.add(evaluation.of(*key, from.row(i))), "a test has memory");
        for (ReferenceAggregate const& each : aggregates)
            expect(values.add(each.of != nullptr ? evaluation.of(*each.of, from.row(i)) : Value{}),
                   "a test has memory");
        expect(rows.add(i), "a test has memory");
    }
    auto const compare_keys = [&](std::size_t a, std::size_t b) {
        for (std::size_t k = 0; k < keys.size(); ++k)
            if (int const found = order(keys[k]->meaning.of, values[a * width + k], values[b * width + k]); found != 0)
                return found;
        return 0;
    };
    auto const all = rows.span();
    std::sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return compare_keys(a, b) < 0; });
    GrowingArray<Value> of_group;
    std::size_t begin = 0;
    while (begin < all.size() || (keys.empty() && to.rows == 0)) {
        std::size_t end = begin;
        while (end < all.size() && compare_keys(all[begin], all[end]) == 0) ++end;
        for (std::size_t k = 0; k < keys.size(); ++k) to.add_cell(values[all[begin] * width + k]);
        for (std::size_t a = 0; a < aggregates.size(); ++a) {
            of_group.clear();
            for (std::size_t const row : all.subspan(begin, end - begin))
                expect(of_group.add(values[row * width + keys.size() + a]), "a test has memory");
            Meaning const meaning = aggregates[a].of != nullptr ? aggregates[a].of->meaning : Meaning{};
            to.add_cell(aggregate(aggregates[a], of_group.span(), meaning, evaluation));
        }
        ++to.rows;
        begin = end;
    }
    to.measure();
}

// `to`: has its columns, of which both sides' values become.
inline void combine_rows(SetKind kind, ReferenceRows const& first, ReferenceRows const& second, ReferenceRows& to,
                         Evaluation& evaluation) {
    GrowingArray<Value> values;
    GrowingArray<std::size_t> rows;
    for (ReferenceRows const* const side : {&first, &second})
        for (std::size_t i = 0; i < side->rows; ++i) {
            expect(rows.add(rows.size()), "a test has memory");
            for (std::size_t at = 0; at < to.columns; ++at)
                expect(
                    values.add(evaluation.converted(side->row(i)[at], side->column[at].meaning, to.column[at].meaning)),
                    "a test has memory");
        }
    auto const compare_rows = [&](std::size_t a, std::size_t b) {
        for (std::size_t at = 0; at < to.columns; ++at)
            if (int const found =
                    order(to.column[at].meaning.of, values[a * to.columns + at], values[b * to.columns + at]);
                found != 0)
                return found;
        return 0;
    };
    auto const all = rows.span();
    std::sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return compare_rows(a, b) < 0; });
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        bool is_in_first = false;
        bool is_in_second = false;
        for (; end < all.size() && compare_rows(all[begin], all[end]) == 0; ++end)
            (all[end] < first.rows ? is_in_first : is_in_second) = true;
        bool const is_wanted = kind == SetKind::Intersection ? is_in_first && is_in_second
                               : kind == SetKind::Difference ? is_in_first && !is_in_second
                                                             : true;
        for (std::size_t times = kind == SetKind::All ? end - begin : is_wanted ? 1 : 0; times != 0; --times) {
            to.add_row(&values[all[begin] * to.columns], to.columns);
            ++to.rows;
        }
    }
    to.measure();
}

// ---- text

inline void write_whole(TextSink& out, Int128 number, unsigned scale) {
    if (number < 0) out.write("-");
    auto left = number < 0 ? -static_cast<unsigned __int128>(number) : static_cast<unsigned __int128>(number);
    bool has_begun = false;
    for (unsigned place = 39; place-- != 0;) {
        unsigned __int128 unit = 1;
        for (unsigned i = 0; i < place; ++i) unit *= 10;
        char digit = '0';
        for (; left >= unit; left -= unit) ++digit;
        has_begun = has_begun || digit != '0' || place <= scale;
        if (has_begun) out.write({&digit, 1});
        if (place == scale && scale != 0) out.write(".");
    }
}

struct CalendarDay {
    int year;
    unsigned month;
    unsigned day;
};
// Year by year, month by month.
inline CalendarDay calendar_day(std::int64_t days) {
    constexpr std::int64_t days_of_400_years = 146'097;
    std::int64_t left = days + 719'162; // since 0001-01-01
    std::int64_t era = left / days_of_400_years;
    if (left < era * days_of_400_years) --era;
    left -= era * days_of_400_years;
    int year = static_cast<int>(1 + 400 * era);
    auto const is_leap = [&] { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; };
    for (; left >= (is_leap() ? 366 : 365); ++year) left -= is_leap() ? 366 : 365;
    std::array<int, 12> const lengths{31, is_leap() ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned month = 0;
    for (; left >= lengths[month]; ++month) left -= lengths[month];
    return {.year = year, .month = month + 1, .day = static_cast<unsigned>(left) + 1};
}
inline void write_padded(TextSink& out, int value, int digits) {
    int unit = 1;
    for (int i = 1; i < digits; ++i) unit *= 10;
    for (; unit > 1 && value < unit; unit /= 10) out.write("0");
    format(out, "{}", value);
}
inline void write_value(TextSink& out, Value const& value, Meaning const& meaning) {
    if (value.is_null) return out.write("NULL");
    switch (meaning.of) {
    case Class::Truth: return out.write(value.number != 0 ? "true" : "false");
    case Class::Whole: return write_whole(out, value.number, meaning.scale);
    case Class::Real: return out.write(query::real_cell(value.real).view());
    case Class::Day: {
        CalendarDay const day = calendar_day(static_cast<std::int64_t>(value.number));
        if (day.year < 0) out.write("-");
        write_padded(out, day.year < 0 ? -day.year : day.year, 4);
        out.write("-");
        write_padded(out, static_cast<int>(day.month), 2);
        out.write("-");
        return write_padded(out, static_cast<int>(day.day), 2);
    }
    case Class::Letter:
    case Class::Words: return out.write(value.text);
    }
}

} // namespace mxk::query_tests
