// What the steps of a plan (plan.hpp) are told.
#pragma once

#include <cstdint>
#include <string_view>

#include "query/expression/expression.hpp"

namespace mxk::query {

// A column of the result, and what it is.
struct NamedExpression {
    std::string_view name;
    Expression of;
};

enum class Function : std::uint8_t {
    Count,       // of rows
    CountValues, // of those that are not NULL
    Sum,         // of 128 bits, or of floating-point numbers
    Average,     // a floating-point number
    Min,
    Max,
    CountDistinct // of values that differ and are not NULL
};
std::string_view name_of(Function function);

// The result's column, and what it is of; of Count nothing.
struct Aggregate {
    std::string_view name;
    Function function = Function::Count;
    Expression of{};
};

enum class JoinKind : std::uint8_t {
    Inner, // every pair of rows with equal keys
    Left,  // and the rows that have none, with NULL in the table's columns
    Semi,  // the rows that have one
    Anti   // those that have none
};

// Rows of two steps as sets. Here NULL is equal to NULL.
enum class SetKind : std::uint8_t {
    All,          // those of both, as often as they are there
    Union,        // those of both, each once
    Intersection, // those that are in both, each once
    Difference    // those of the first that are not in the second, each once
};

// A pair of columns that have to be equal.
struct JoinKey {
    Expression of_table;
    Expression of_rows;
};

// What rows are ordered by: the first one counts first.
struct OrderKey {
    std::string_view column;
    bool is_descending = false;
};

constexpr std::uint64_t no_limit = UINT64_MAX;

} // namespace mxk::query
