// A random plan's steps as SQL, for a database to give the answer, too: each step is a sub-query by name (s0, s1, ...)
// of those before. Whole numbers are HUGEINT, decimals DECIMAL(38, scale), floating-point numbers DOUBLE; a text is a
// VARCHAR of characters that have the bytes' values, so that a byte that is no UTF-8 is one, too. What types meet is
// written as casts, so that the database's own rules for mixed types do not count.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/format.hpp"
#include "tests/kernel/query/reference.hpp"

namespace mxk::query_tests {

struct ResultKey {
    std::size_t column = 0;
    bool is_descending = false;
};

class GrowingText final : public TextSink {
  public:
    void write(std::string_view text) override {
        for (char const letter : text) expect(text_.add(letter), "a test has memory");
    }
    [[nodiscard]] std::string_view view() const { return {text_.span().data(), text_.size()}; }

  private:
    GrowingArray<char> text_;
};

inline FixedText<32> sql_type(Meaning const& meaning) {
    constexpr std::array<std::string_view, 6> names{"BOOLEAN", "HUGEINT", "DOUBLE", "DATE", "VARCHAR", "VARCHAR"};
    FixedText<32> type;
    if (meaning.of == Class::Whole && meaning.scale != 0)
        format(type, "DECIMAL(38, {})", meaning.scale);
    else
        type.append(names[static_cast<std::size_t>(meaning.of)]);
    return type;
}

// A date: its days.
inline void write_sql_value(TextSink& out, Value const& value, Meaning const& meaning) {
    if (meaning.of == Class::Day && !value.is_null)
        write_whole(out, value.number, 0);
    else
        write_value(out, value, meaning);
}

class PlanSql {
    using Operation = Formula::Operation;

  public:
    using Step = std::size_t; // its number
    // Each step: of the steps and rows before, and the rows that it makes.
    Step scan(std::string_view table, std::span<std::string_view const> columns, ReferenceRows const& to) {
        begin("SELECT ");
        for (std::size_t i = 0; i < columns.size(); ++i)
            format(sql_, "{}{} AS {}", i == 0 ? "" : ", ", columns[i], to.column[i].name.view());
        return end(" FROM {}", table);
    }
    Step filter(Step from, ReferenceRows const& rows, Formula const& condition) {
        begin("SELECT * FROM ");
        format(sql_, "s{} WHERE ", from);
        write(condition, rows);
        return end("");
    }
    Step map(Step from, ReferenceRows const& rows, std::span<Formula const* const> formulas, ReferenceRows const& to) {
        begin("SELECT ");
        for (std::size_t i = 0; i < formulas.size(); ++i) {
            if (i != 0) sql_.write(", ");
            write(*formulas[i], rows);
            format(sql_, " AS {}", to.column[i].name.view());
        }
        return end(" FROM s{}", from);
    }
    Step join(JoinKind kind, Step table, ReferenceRows const& table_rows, Step from, ReferenceRows const& rows,
              std::span<ReferenceKey const> keys) {
        constexpr std::array<std::string_view, 4> kinds{"JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN"};
        begin("SELECT * FROM ");
        format(sql_, "s{} {} s{} ON ", from, kinds[static_cast<std::size_t>(kind)], table);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (i != 0) sql_.write(" AND ");
            write(*keys[i].of_rows, rows);
            sql_.write(" = ");
            write(*keys[i].of_table, table_rows);
        }
        return end("");
    }
    Step group(Step from, ReferenceRows const& rows, std::span<Formula const* const> keys,
               std::span<ReferenceAggregate const> aggregates, ReferenceRows const& to) {
        constexpr std::array<std::string_view, 7> functions{"count(", "count(", "sum(",           "avg(",
                                                            "min(",   "max(",   "count(DISTINCT "};
        begin("SELECT ");
        for (std::size_t i = 0; i < keys.size(); ++i) {
            write(*keys[i], rows);
            format(sql_, " AS {}, ", to.column[i].name.view());
        }
        for (std::size_t i = 0; i < aggregates.size(); ++i) {
            ReferenceColumn const& column = to.column[keys.size() + i];
            format(sql_, "{}CAST({}", i == 0 ? "" : ", ", functions[static_cast<std::size_t>(aggregates[i].function)]);
            if (aggregates[i].of == nullptr)
                sql_.write("*");
            else
                write(*aggregates[i].of, rows);
            format(sql_, ") AS {}) AS {}", sql_type(column.meaning).view(), column.name.view());
        }
        format(sql_, " FROM s{}", from);
        for (std::size_t i = 0; i < keys.size(); ++i) format(sql_, "{}{}", i == 0 ? " GROUP BY " : ", ", i + 1);
        return end("");
    }
    // Of two steps of as many columns.
    Step combine(SetKind kind, Step first, ReferenceRows const& first_rows, Step second,
                 ReferenceRows const& second_rows, ReferenceRows const& to) {
        constexpr std::array<std::string_view, 4> kinds{"UNION ALL", "UNION", "INTERSECT", "EXCEPT"};
        auto const select = [&](Step from, ReferenceRows const& rows) {
            sql_.write("SELECT ");
            for (std::size_t i = 0; i < to.columns; ++i)
                format(sql_, "{}CAST({} AS {}) AS {}", i == 0 ? "" : ", ", rows.column[i].name.view(),
                       sql_type(to.column[i].meaning).view(), to.column[i].name.view());
            format(sql_, " FROM s{}", from);
        };
        begin("");
        select(first, first_rows);
        format(sql_, " {} ", kinds[static_cast<std::size_t>(kind)]);
        select(second, second_rows);
        return end("");
    }
    // The end: all rows, in this order; dates as days since 1970.
    void answer(Step from, ReferenceRows const& rows, std::span<ResultKey const> order) {
        sql_.write(" SELECT ");
        for (std::size_t i = 0; i < rows.columns; ++i) {
            ReferenceColumn const& column = rows.column[i];
            std::string_view const days = column.meaning.of == Class::Day ? " - DATE '1970-01-01'" : "";
            format(sql_, "{}{}{} AS {}", i == 0 ? "" : ", ", column.name.view(), days, column.name.view());
        }
        format(sql_, " FROM s{}", from);
        for (std::size_t i = 0; i < order.size(); ++i)
            format(sql_, "{}{}{} NULLS LAST", i == 0 ? " ORDER BY " : ", ", order[i].column + 1,
                   order[i].is_descending ? " DESC" : "");
    }
    [[nodiscard]] std::string_view view() const { return sql_.view(); }

  private:
    void begin(std::string_view select) { format(sql_, "{}s{} AS ({}", steps_ == 0 ? "WITH " : ", ", steps_, select); }
    template <typename... Arguments>
    Step end(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
        format(sql_, pattern, arguments...);
        sql_.write(")");
        return steps_++;
    }

    // ---- formulas

    void write(Formula const& formula, ReferenceRows const& rows) {
        constexpr std::array<std::string_view, 20> signs{"",    "",     " + ", " - ",  " * ",   " = ", " <> ",
                                                         " < ", " <= ", " > ", " >= ", " AND ", " OR "};
        auto const& of = formula.operands;
        auto const sign = signs[static_cast<std::size_t>(formula.operation)];
        switch (formula.operation) {
        case Operation::Column: return sql_.write(rows.column[formula.column].name.view());
        case Operation::Constant: return write_constant(formula.constant, formula.meaning);
        case Operation::Add:
        case Operation::Subtract:
        case Operation::Multiply: return write_arithmetic(formula, sign, rows);
        case Operation::Equal:
        case Operation::NotEqual:
        case Operation::Less:
        case Operation::LessOrEqual:
        case Operation::Greater:
        case Operation::GreaterOrEqual: return write_comparison(*of[0], sign, *of[1], rows);
        case Operation::And:
        case Operation::Or: return write_parts(rows, {"(", of[0], sign, of[1], ")"});
        case Operation::Not: return write_parts(rows, {"(NOT ", of[0], ")"});
        case Operation::IsNull: return write_parts(rows, {"(", of[0], " IS NULL)"});
        case Operation::Choose:
            return write_parts(
                rows,
                {"CASE WHEN ", of[0], " THEN ", {of[1], formula.meaning}, " ELSE ", {of[2], formula.meaning}, " END"});
        case Operation::Between:
            sql_.write("(");
            write_comparison(*of[0], " >= ", *of[1], rows);
            sql_.write(" AND ");
            write_comparison(*of[0], " <= ", *of[2], rows);
            return sql_.write(")");
        case Operation::IsIn: {
            Meaning meaning = of[0]->meaning;
            for (std::size_t i = 1; i < formula.count; ++i) meaning = Evaluation::common(meaning, of[i]->meaning);
            write_parts(rows, {"(", {of[0], meaning}});
            for (std::size_t i = 1; i < formula.count; ++i)
                write_parts(rows, {i == 1 ? " IN (" : ", ", {of[i], meaning}});
            return sql_.write("))");
        }
        case Operation::StartsWith: return write_parts(rows, {"starts_with(", of[0], ", ", of[1], ")"});
        case Operation::Contains: return write_parts(rows, {"contains(", of[0], ", ", of[1], ")"});
        }
    }
    // Text, or a formula, of its own type or as another one.
    struct Part {
        Part(char const* its_text)
            : text(its_text) {}
        Part(std::string_view its_text)
            : text(its_text) {}
        Part(Formula const* its_formula)
            : formula(its_formula)
            , meaning(its_formula->meaning) {}
        Part(Formula const* its_formula, Meaning const& its_meaning)
            : formula(its_formula)
            , meaning(its_meaning) {}
        std::string_view text{};
        Formula const* formula = nullptr;
        Meaning meaning{};
    };
    void write_parts(ReferenceRows const& rows, std::initializer_list<Part> parts) {
        for (Part const& part : parts) {
            sql_.write(part.text);
            if (part.formula != nullptr) write_as(*part.formula, part.meaning, rows);
        }
    }
    void write_as(Formula const& formula, Meaning const& meaning, ReferenceRows const& rows) {
        bool const becomes_real = meaning.of == Class::Real && formula.meaning.of == Class::Whole;
        bool const is_rescaled = meaning.of == Class::Whole && formula.meaning.scale != meaning.scale;
        unsigned const scale = formula.meaning.scale;
        if (!becomes_real && !is_rescaled) return write(formula, rows);
        bool const has_divisor = becomes_real && scale != 0;
        sql_.write(has_divisor ? "(CAST(" : "CAST(");
        write(formula, rows);
        if (is_rescaled) return format(sql_, " AS {})", sql_type(meaning).view());
        // The digits as a number, by a power of ten: rounded where MXK rounds. Formulas have 60 bits there.
        if (has_divisor) format(sql_, " * CAST('1e{}' AS DECIMAL(38, 0))", scale);
        sql_.write(" AS BIGINT)::DOUBLE");
        if (has_divisor) format(sql_, " / 1e{}::DOUBLE)", scale);
    }
    void write_comparison(Formula const& a, std::string_view sign, Formula const& b, ReferenceRows const& rows) {
        Meaning const meaning = Evaluation::common(a.meaning, b.meaning);
        write_parts(rows, {"(", {&a, meaning}, sign, {&b, meaning}, ")"});
    }
    void write_arithmetic(Formula const& formula, std::string_view sign, ReferenceRows const& rows) {
        Formula const* const a = formula.operands[0];
        Formula const* const b = formula.operands[1];
        Meaning const& meaning = formula.meaning;
        if (meaning.of == Class::Day) return write_parts(rows, {"(", a, sign, "CAST(", b, " AS INTEGER))"});
        if (a->meaning.of == Class::Day) return write_parts(rows, {"CAST(", a, sign, b, " AS HUGEINT)"});
        if (meaning.of == Class::Real || formula.operation != Operation::Multiply)
            return write_parts(rows, {"(", {a, meaning}, sign, {b, meaning}, ")"});
        if (meaning.scale == 0) return write_parts(rows, {"(", a, sign, b, ")"});
        for (Formula const* const factor : {a, b}) { // an integer as a decimal
            bool const is_integer = factor->meaning.scale == 0;
            write_parts(rows, {factor == a ? "(" : sign, is_integer ? "CAST(" : "", factor,
                               is_integer ? " AS DECIMAL(38, 0))" : ""});
        }
        sql_.write(")");
    }
    void write_constant(Value const& value, Meaning const& meaning) {
        bool const is_date = meaning.of == Class::Day && !value.is_null;
        sql_.write(is_date ? "(DATE '1970-01-01' + CAST(" : "CAST(");
        if (!value.is_null) sql_.write("'");
        write_sql_value(sql_, value, meaning);
        if (!value.is_null) sql_.write("'");
        if (is_date) return sql_.write(" AS INTEGER))");
        format(sql_, " AS {})", sql_type(meaning).view());
    }

    GrowingText sql_;
    Step steps_ = 0;
};

} // namespace mxk::query_tests
