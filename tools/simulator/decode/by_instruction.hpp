// What is known of instructions by their ids alone, as a table.
#pragma once

#include <array>
#include <initializer_list>

#include <capstone/capstone.h>

namespace mxk::simulator {

template <class Value> struct OfInstructions {
    Value value;
    std::initializer_list<unsigned> instructions; // Capstone's ids
};

/// A value for each of Capstone's instructions; `other` for those that are not named.
template <class Value>
constexpr std::array<Value, X86_INS_ENDING> by_instruction(Value other,
                                                           std::initializer_list<OfInstructions<Value>> named) {
    std::array<Value, X86_INS_ENDING> values{};
    values.fill(other);
    for (auto const& same : named)
        for (unsigned const instruction : same.instructions) values[instruction] = same.value;
    return values;
}

} // namespace mxk::simulator
