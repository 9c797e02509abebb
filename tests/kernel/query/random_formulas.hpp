// Random formulas over the columns of reference rows, of a depth and a number of parts that an expression has room for,
// of which the numbers fit 128 bits but for some that may not; and as expressions of a plan.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/format.hpp"
#include "kernel/memory/node_vector.hpp"
#include "query/expression/expression.hpp"
#include "tests/kernel/query/random_tables.hpp"
#include "tests/kernel/query/reference.hpp"

namespace mxk::query_tests {

using Operation = Formula::Operation;

inline Expression expression_of(Formula const& formula, ReferenceRows const& rows) {
    std::array<Expression, Formula::max_operands> of;
    for (std::size_t i = 0; i < formula.count; ++i) of[i] = expression_of(*formula.operands[i], rows);
    switch (formula.operation) {
    case Operation::Column: return query::column(rows.column[formula.column].name.view());
    case Operation::Constant: break;
    case Operation::Add: return of[0] + of[1];
    case Operation::Subtract: return of[0] - of[1];
    case Operation::Multiply: return of[0] * of[1];
    case Operation::Equal: return of[0] == of[1];
    case Operation::NotEqual: return of[0] != of[1];
    case Operation::Less: return of[0] < of[1];
    case Operation::LessOrEqual: return of[0] <= of[1];
    case Operation::Greater: return of[0] > of[1];
    case Operation::GreaterOrEqual: return of[0] >= of[1];
    case Operation::And: return of[0] && of[1];
    case Operation::Or: return of[0] || of[1];
    case Operation::Not: return !of[0];
    case Operation::IsNull: return query::is_null(of[0]);
    case Operation::Choose: return query::choose(of[0], of[1], of[2]);
    case Operation::Between: return query::between(of[0], of[1], of[2]);
    case Operation::IsIn: return query::is_in(of[0], std::span<Expression const>(of).subspan(1, formula.count - 1));
    case Operation::StartsWith: return query::starts_with(of[0], of[1]);
    case Operation::Contains: return query::contains(of[0], of[1]);
    }
    Value const& value = formula.constant;
    std::uint8_t const scale = formula.meaning.scale;
    bool const is_narrow = value.number >= INT64_MIN && value.number <= INT64_MAX;
    constexpr std::array kinds{Kind::Bool, Kind::I64, Kind::F64, Kind::Date, Kind::Character, Kind::Text};
    auto const of_class = static_cast<std::size_t>(formula.meaning.of);
    if (value.is_null) return query::null_of({.kind = scale != 0 ? Kind::Decimal : kinds[of_class], .scale = scale});
    switch (formula.meaning.of) {
    case Class::Truth: return query::truth(value.number != 0);
    case Class::Real: return query::real(value.real);
    case Class::Day: {
        CalendarDay const day = calendar_day(static_cast<std::int64_t>(value.number));
        return query::date(day.year, day.month, day.day);
    }
    case Class::Letter:
    case Class::Words: return query::text(value.text);
    case Class::Whole: break;
    }
    if (!is_narrow) return Expression::of({.type = {.kind = Kind::Decimal128, .scale = scale}, .number = value.number});
    if (scale == 0) return query::number(static_cast<std::int64_t>(value.number));
    return query::decimal(static_cast<std::int64_t>(value.number), scale);
}

// Random formulas over columns.
class Formulas {
  public:
    Formulas(Random& random, NodeVector<Formula>& pool)
        : random_(random)
        , pool_(pool) {}

    // Of these rows, from now on; a step's formulas are so many together that an expression has room for.
    void begin(ReferenceRows const& rows) {
        rows_ = &rows;
        left_ = 36;
        max_bits_ = random_.below(6) == 0 ? 200 : 124; // 200: a result may have more than 127
    }
    Formula const* any(unsigned depth) { return of(static_cast<Class>(random_.below(6)), depth); }
    Formula const* of(Class wanted, unsigned depth) {
        --left_;
        if (wanted == Class::Letter && !has_column(Class::Letter)) wanted = Class::Whole;
        if (depth == 0 || left_ <= 0 || random_.below(6) == 0) return leaf(wanted);
        if (wanted != Class::Truth && random_.below(5) == 0) return choice(wanted, depth - 1);
        switch (wanted) {
        case Class::Truth: return truth(depth - 1);
        case Class::Whole: return random_.below(8) == 0 ? days_between(depth - 1) : arithmetic(wanted, depth - 1);
        case Class::Real: return arithmetic(wanted, depth - 1);
        case Class::Day: return later_day(depth - 1);
        default: return leaf(wanted);
        }
    }
    // A column that may be computed with; null: there is none.
    Formula const* column(Class wanted) {
        std::size_t const begin = random_.below(std::max<std::size_t>(rows_->columns, 1));
        for (std::size_t i = 0; i < rows_->columns; ++i) {
            std::size_t const at = (begin + i) % rows_->columns;
            if (rows_->column[at].meaning.of == wanted && rows_->column[at].meaning.is_exact) return column_at(at);
        }
        return nullptr;
    }
    Formula const* column_at(std::size_t at) {
        return &pool_.emplace(
            Formula{.operation = Operation::Column, .meaning = rows_->column[at].meaning, .column = at});
    }

  private:
    [[nodiscard]] bool has_column(Class wanted) { return column(wanted) != nullptr; }
    Formula const* make(Operation operation, Meaning const& meaning, std::initializer_list<Formula const*> operands) {
        Formula& made = pool_.emplace(Formula{.operation = operation, .meaning = meaning});
        for (Formula const* operand : operands) made.operands[made.count++] = operand;
        return &made;
    }

    Formula const* leaf(Class wanted) {
        Formula const* const found = column(wanted);
        return found != nullptr && (wanted == Class::Letter || random_.below(4) != 0) ? found : constant(wanted);
    }
    Formula const* constant(Class wanted) {
        Formula& made = pool_.emplace(Formula{.meaning = {.of = wanted}});
        Value& value = made.constant;
        Formula const* const like = column(wanted);
        if (random_.below(15) == 0) {
            value.is_null = true;
            if (like != nullptr) made.meaning.scale = like->meaning.scale;
            return &made;
        }
        if (like != nullptr && rows_->rows != 0 && random_.below(4) != 0) {
            value = rows_->row(random_.below(rows_->rows))[like->column];
            made.meaning.scale = like->meaning.scale;
            if (wanted == Class::Whole && random_.below(3) == 0 && bits_of(value.number) < 100)
                value.number += static_cast<Int128>(random_.below(3)) - 1;
            if (value.is_null) value = {.text = "A", .number = 0};
        } else {
            constexpr std::array<std::string_view, 4> some{"PROMO", "a", "", "ab"};
            value.number = static_cast<Int128>(random_.below(wanted == Class::Truth ? 2 : 200));
            if (wanted == Class::Day) value.number += 8000;
            value.real = 0.25 * static_cast<double>(random_.below(40)) - 5;
            value.text = wanted == Class::Letter ? std::string_view("B") : one_of(random_, some);
            if (wanted == Class::Whole) made.meaning.scale = static_cast<std::uint8_t>(random_.below(3));
        }
        made.meaning.bits = wanted == Class::Real ? 10 : bits_of(value.number);
        made.meaning.fraction = wanted == Class::Day ? made.meaning.bits : wanted == Class::Real ? any_fraction : 0;
        return &made;
    }

    // ---- what fits

    static int scaled_bits(Meaning const& meaning, unsigned scale) {
        return meaning.bits + (static_cast<int>(scale) - meaning.scale) * 10 / 3 + (scale > meaning.scale ? 1 : 0);
    }
    [[nodiscard]] bool meet(Meaning const& a, Meaning const& b) const {
        if (a.of != b.of || a.of == Class::Real) return can_be_real(a) && can_be_real(b);
        unsigned const scale = std::max(a.scale, b.scale);
        return a.of != Class::Whole || std::max(scaled_bits(a, scale), scaled_bits(b, scale)) < max_bits_;
    }
    static bool can_be_real(Meaning const& meaning) {
        return meaning.of == Class::Real || (meaning.of == Class::Whole && meaning.bits <= 60 && meaning.scale <= 18);
    }
    static Meaning as_real(Meaning const& meaning) {
        Meaning result{.of = Class::Real, .bits = meaning.bits, .fraction = meaning.fraction};
        if (meaning.of == Class::Whole) result.fraction = meaning.scale == 0 ? 0 : any_fraction;
        return result;
    }
    static Meaning common(Meaning const& a, Meaning const& b) {
        if (a.of == Class::Real || b.of == Class::Real) {
            Meaning const x = as_real(a);
            Meaning const y = as_real(b);
            return {.of = Class::Real, .bits = std::max(x.bits, y.bits), .fraction = std::max(x.fraction, y.fraction)};
        }
        std::uint8_t const scale = std::max(a.scale, b.scale);
        int const bits = a.of == Class::Whole ? std::max(scaled_bits(a, scale), scaled_bits(b, scale)) : a.bits;
        return {.of = a.of, .scale = scale, .bits = bits, .fraction = std::max(a.fraction, b.fraction)};
    }

    // ---- operations

    Formula const* arithmetic(Class wanted, unsigned depth) {
        constexpr std::array operations{Operation::Add, Operation::Subtract, Operation::Multiply};
        Operation const operation = one_of(random_, operations);
        Formula const* const a = of(wanted, depth);
        Formula const* const b = of(wanted == Class::Real && random_.below(3) == 0 ? Class::Whole : wanted, depth);
        if (!meet(a->meaning, b->meaning)) return a;
        Meaning meaning = common(a->meaning, b->meaning);
        if (operation != Operation::Multiply) {
            ++meaning.bits;
        } else if (wanted == Class::Real) {
            Meaning const x = as_real(a->meaning);
            Meaning const y = as_real(b->meaning);
            meaning.bits = x.bits + y.bits;
            meaning.fraction = std::min(any_fraction, x.fraction + y.fraction);
        } else {
            unsigned const scale = unsigned{a->meaning.scale} + b->meaning.scale;
            if (scale > 12) return a;
            meaning.scale = static_cast<std::uint8_t>(scale);
            meaning.bits = a->meaning.bits + b->meaning.bits;
        }
        if (wanted == Class::Whole && meaning.bits >= max_bits_) return a;
        return make(operation, meaning, {a, b});
    }
    Formula const* choice(Class wanted, unsigned depth) {
        Formula const* const condition = of(Class::Truth, depth);
        Formula const* const a = of(wanted, depth);
        Formula const* const b =
            wanted == Class::Letter && random_.below(2) == 0 ? constant(wanted) : of(wanted, depth);
        if (!meet(a->meaning, b->meaning)) return a;
        return make(Operation::Choose, common(a->meaning, b->meaning), {condition, a, b});
    }
    // The days of dates have to fit 32 bits, as the whole column's say.
    Formula const* later_day(unsigned depth) {
        Formula const* const day = of(Class::Day, depth);
        if (day->meaning.fraction > 26) return day;
        Formula& days = pool_.emplace(Formula{.meaning = {.bits = 10}});
        days.constant.number = static_cast<Int128>(random_.below(1000));
        Meaning meaning = day->meaning;
        meaning.fraction = std::max(meaning.fraction, 10) + 1;
        return make(random_.below(2) == 0 ? Operation::Add : Operation::Subtract, meaning, {day, &days});
    }
    Formula const* days_between(unsigned depth) {
        return make(Operation::Subtract, {.bits = 34}, {of(Class::Day, depth), of(Class::Day, depth)});
    }
    Formula const* truth(unsigned depth) {
        Meaning const truths{.of = Class::Truth};
        switch (random_.below(12)) {
        case 0:
        case 1: return make(Operation::And, truths, {of(Class::Truth, depth), of(Class::Truth, depth)});
        case 2: return make(Operation::Or, truths, {of(Class::Truth, depth), of(Class::Truth, depth)});
        case 3: return make(Operation::Not, truths, {of(Class::Truth, depth)});
        case 4: return make(Operation::IsNull, truths, {any(depth)});
        case 5:
            return make(random_.below(2) == 0 ? Operation::StartsWith : Operation::Contains, truths,
                        {of(Class::Words, depth), of(Class::Words, 0)});
        case 6: return choice(Class::Truth, depth);
        case 7: return among(depth);
        default: return comparison(depth);
        }
    }
    Formula const* comparison(unsigned depth) {
        constexpr std::array operations{Operation::Equal,       Operation::NotEqual, Operation::Less,
                                        Operation::LessOrEqual, Operation::Greater,  Operation::GreaterOrEqual};
        Formula const* const a = any(depth);
        Formula const* const b = other(a->meaning, depth);
        if (!meet(a->meaning, b->meaning)) return make(Operation::IsNull, {.of = Class::Truth}, {a});
        bool const is_swapped = random_.below(4) == 0;
        return make(one_of(random_, operations), {.of = Class::Truth}, {is_swapped ? b : a, is_swapped ? a : b});
    }
    Formula const* other(Meaning const& meaning, unsigned depth) {
        if (random_.below(2) == 0) return constant(meaning.of);
        return of(meaning.of == Class::Whole && random_.below(8) == 0 ? Class::Real : meaning.of, depth);
    }
    Formula const* among(unsigned depth) {
        bool const is_between = random_.below(2) == 0;
        Formula const* const value = any(depth);
        Formula& made = pool_.emplace(
            Formula{.operation = is_between ? Operation::Between : Operation::IsIn, .meaning = {.of = Class::Truth}});
        made.operands[made.count++] = value;
        std::size_t const wanted = is_between ? 2 : 1 + random_.below(Formula::max_operands - 1);
        for (std::size_t i = 0; i < wanted; ++i) {
            Formula const* const beside = is_between ? other(value->meaning, depth) : constant(value->meaning.of);
            if (!meet(value->meaning, beside->meaning)) return make(Operation::IsNull, {.of = Class::Truth}, {value});
            made.operands[made.count++] = beside;
        }
        return &made;
    }

    Random& random_;
    NodeVector<Formula>& pool_;
    ReferenceRows const* rows_ = nullptr;
    int left_ = 0;
    int max_bits_ = 0;
};

} // namespace mxk::query_tests
