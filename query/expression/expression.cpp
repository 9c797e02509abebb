#include "query/expression/expression.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

#include "kernel/memory/heap/heap.hpp"
#include "query/expression/calendar.hpp"
#include "query/expression/wide.hpp"

namespace mxk::query {
namespace {

Expression constant(Type type, Int128 number) {
    return Expression::of({.type = type, .number = number});
}

// Sums and differences of constants are constants, where they fit: those of one scale, and days before or after a date.
Expression fold(Expression::Operation operation, std::initializer_list<Expression> operands) {
    bool const is_sum = operation == Expression::Operation::Add;
    if (!is_sum && operation != Expression::Operation::Subtract) return {};
    Expression::Node const& first = *operands.begin()->root();
    Expression::Node const& second = *(operands.begin() + 1)->root();
    if (first.operation != Expression::Operation::Constant || second.operation != Expression::Operation::Constant)
        return {};
    Constant const& a = first.constant;
    Constant const& b = second.constant;
    bool const is_number = b.type.kind == Kind::I64 || b.type.kind == Kind::Decimal;
    bool const is_date = a.type.kind == Kind::Date && b.type.kind == Kind::I64;
    if (a.is_null || b.is_null || !is_number || (a.type != b.type && !is_date)) return {};
    Range const range = full_range(a.type.kind);
    Int128 value = 0;
    if (is_sum ? wide::add(a.number, b.number, value) : wide::subtract(a.number, b.number, value)) return {};
    return value >= range.low && value <= range.high ? constant(a.type, value) : Expression();
}

} // namespace

Expression Expression::make(Operation operation, std::initializer_list<Expression> operands) {
    Expression result;
    std::uint32_t levels = 0;
    std::uint32_t nodes = 1;
    for (Expression const& operand : operands) {
        if (operand.node_ == nullptr) return result;
        levels = std::max(levels, operand.node_->levels);
        nodes += operand.node_->nodes;
    }
    if (Expression folded = fold(operation, operands); folded.node_ != nullptr) return folded;
    if (levels == max_levels || nodes > max_nodes) return make(Operation::TooLarge, {});
    void* const place = heap::allocate(sizeof(Node), alignof(Node));
    if (place == nullptr) return result;
    result.node_ = new (place) Node{.operation = operation, .levels = levels + 1, .nodes = nodes};
    std::size_t at = 0;
    for (Expression const& operand : operands) {
        ++operand.node_->users;
        result.node_->operands[at++] = operand.node_;
    }
    return result;
}

Expression Expression::of_column(std::string_view name) {
    Expression result = make(Operation::Column, {});
    if (result.node_ != nullptr) result.node_->name = shown(name);
    return result;
}

Expression Expression::of(Constant const& constant) {
    Expression result = make(Operation::Constant, {});
    if (result.node_ != nullptr) result.node_->constant = constant;
    return result;
}

Expression Expression::of(Node const& node) {
    Expression result;
    result.node_ = const_cast<Node*>(&node); // counted, and never written otherwise
    ++result.node_->users;
    return result;
}

void Expression::let_go(Node& node) {
    if (--node.users != 0) return;
    for (Node* const operand : node.operands)
        if (operand != nullptr) let_go(*operand);
    node.~Node();
    heap::deallocate(&node, sizeof(Node), alignof(Node));
}

Expression number(std::int64_t value) {
    return constant({.kind = Kind::I64}, value);
}
Expression decimal(std::int64_t value, unsigned scale) {
    auto const kept = static_cast<std::uint8_t>(std::min<unsigned>(scale, UINT8_MAX)); // an error where it is used
    return constant({.kind = Kind::Decimal, .scale = kept}, value);
}
Expression real(double value) {
    return Expression::of({.type = {.kind = Kind::F64}, .real = value});
}
Expression truth(bool value) {
    return constant({.kind = Kind::Bool}, value ? 1 : 0);
}
Expression date(int year, unsigned month, unsigned day) {
    return constant({.kind = Kind::Date}, days_of(year, month, day));
}
Expression text(std::string_view value) {
    return Expression::of({.type = {.kind = Kind::Text}, .text = value});
}
Expression null_of(Type type) {
    return Expression::of({.type = type, .is_null = true});
}

// A tree as flat as can be: long lists are as deep as the logarithm of their length.
Expression is_in(Expression const& value, std::span<Expression const> values) {
    if (values.empty()) return {};
    if (values.size() == 1) return value == values.front();
    std::size_t const half = values.size() / 2;
    return is_in(value, values.first(half)) || is_in(value, values.subspan(half));
}

} // namespace mxk::query
