// Expressions over the columns of a table, made at run time: a value that describes a tree, without types until it is
// bound to columns (expression_program.hpp). Text that it is given lives as long.
//
//     column("price") * (number(1) - column("discount"))
//     column("shipped") >= date(1994, 1, 1) && !is_null(column("note"))
//     choose(column("kind") == text("PROMO"), column("price"), number(0))         CASE WHEN ... THEN ... ELSE ... END
//
// Comparisons and logic have three values, as in SQL: what is compared with NULL is NULL, and a filter keeps what is
// true. NaN is equal to itself and above all other numbers. One core at a time makes and copies them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "query/expression/shown_names.hpp"
#include "query/expression/type.hpp"

namespace mxk::query {

// A value that stands in an expression. Whole numbers and decimals: `number`; a date, its days.
struct Constant {
    Type type{};
    bool is_null = false;
    Int128 number = 0;
    double real = 0;
    std::string_view text{};
};

class Expression {
  public:
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
        And,
        Or,
        Not,
        IsNull,
        Choose, // the second where the first is true, otherwise the third
        StartsWith,
        Contains,
        TooLarge // in place of one of more than max_levels or max_nodes
    };
    struct Node {
        Operation operation = Operation::Constant;
        std::uint32_t users = 1;
        std::uint32_t levels = 1;
        std::uint32_t nodes = 1; // a part that stands there twice counts twice, as it does for all who walk the tree
        std::array<Node*, 3> operands{};
        ShownName name{}; // of a Column
        Constant constant{};
    };

    static constexpr std::uint32_t max_levels = 48; // a list of values has few: see is_in()
    static constexpr std::uint32_t max_nodes = 4096;

    Expression() = default; // none: an error where it is used
    Expression(Expression const& other)
        : node_(other.node_) {
        if (node_ != nullptr) ++node_->users;
    }
    Expression(Expression&& other) noexcept
        : node_(std::exchange(other.node_, nullptr)) {}
    Expression& operator=(Expression other) noexcept {
        std::swap(node_, other.node_);
        return *this;
    }
    ~Expression() {
        if (node_ != nullptr) let_go(*node_);
    }

    static Expression make(Operation operation, std::initializer_list<Expression> operands);
    static Expression of_column(std::string_view name);
    static Expression of(Constant const& constant);
    // A part of one, once more.
    static Expression of(Node const& node);

    // Null: none, or there was no memory for it.
    [[nodiscard]] Node const* root() const { return node_; }

  private:
    static void let_go(Node& node);
    Node* node_ = nullptr;
};

inline Expression column(std::string_view name) {
    return Expression::of_column(name);
}
Expression number(std::int64_t value);
// 12.34 is decimal(1234, 2).
Expression decimal(std::int64_t value, unsigned scale);
Expression real(double value);
Expression truth(bool value);
Expression date(int year, unsigned month, unsigned day);
Expression text(std::string_view value);
Expression null_of(Type type);

inline Expression operator+(Expression const& a, Expression const& b) {
    return Expression::make(Expression::Operation::Add, {a, b});
}
inline Expression operator-(Expression const& a, Expression const& b) {
    return Expression::make(Expression::Operation::Subtract, {a, b});
}
inline Expression operator*(Expression const& a, Expression const& b) {
    return Expression::make(Expression::Operation::Multiply, {a, b});
}
inline Expression operator==(Expression const& a, Expression const& b) {
    return Expression::make(Expression::Operation::Equal, {a, b});
}
inline Expression operator!=(Expression const& a, Expression const& b) {
    return Expression::make(Expression::Operation::NotEqual, {a, b});
}
inline Expression operator<(Expression const& a, Expression const& b) {
    return Expression::make(Expression::Operation::Less, {a, b});
}
inline Expression operator<=(Expression const& a, Expression const& b) {
    return Expression::make(Expression::Operation::LessOrEqual, {a, b});
}
inline Expression operator>(Expression const& a, Expression const& b) {
    return b < a;
}
inline Expression operator>=(Expression const& a, Expression const& b) {
    return b <= a;
}
// All of both are computed: there is no order.
inline Expression operator&&(Expression const& a, Expression const& b) { // NOLINT(google-runtime-operator)
    return Expression::make(Expression::Operation::And, {a, b});
}
inline Expression operator||(Expression const& a, Expression const& b) { // NOLINT(google-runtime-operator)
    return Expression::make(Expression::Operation::Or, {a, b});
}
inline Expression operator!(Expression const& a) {
    return Expression::make(Expression::Operation::Not, {a});
}
inline Expression is_null(Expression const& a) {
    return Expression::make(Expression::Operation::IsNull, {a});
}
inline Expression choose(Expression const& condition, Expression const& then, Expression const& otherwise) {
    return Expression::make(Expression::Operation::Choose, {condition, then, otherwise});
}
inline Expression between(Expression const& value, Expression const& low, Expression const& high) {
    return low <= value && value <= high;
}
// `values`: one or more.
Expression is_in(Expression const& value, std::span<Expression const> values);
// `prefix`, `part`: texts of any length.
inline Expression starts_with(Expression const& value, Expression const& prefix) {
    return Expression::make(Expression::Operation::StartsWith, {value, prefix});
}
inline Expression contains(Expression const& value, Expression const& part) {
    return Expression::make(Expression::Operation::Contains, {value, part});
}

} // namespace mxk::query
