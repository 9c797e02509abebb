// The instructions of a run (thesis section 4): operations and keys made before the run, and run by what is measured.
// Each one's result is known beforehand, and is checked.
#pragma once

#include <cstdint>

#include "bench/workload/keys.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/operation.hpp"

namespace mxk::bench {

// What is to be done to a key.
struct Order {
    Operation operation;
    bool expected;              // its result
    bool is_exact = false;      // of a find or modify: no other version will do; never with version 0
    bool is_last_write = false; // by its slice to its key in this phase; of an update or upsert
    std::uint32_t version = 0;  // that an update or upsert writes; the highest that a find or modify may meet
};

struct Instruction : Order {
    constexpr Instruction(std::uint64_t its_key, Operation its_operation, bool its_result)
        : Order{its_operation, its_result}
        , key(its_key) {}
    Instruction() = default;
    std::uint64_t key;
};
static_assert(sizeof(Instruction) == 16);

// What is inserted with a key, by tables that hold values.
constexpr std::uint64_t value_of(std::uint64_t key) {
    return ~key;
}

// What is written later: a value that says for which key it was written, and by whom, of up to 2^32 versions. Version 0
// is what was inserted; adding the step makes the next version. The multiples of the step are so far apart from each
// other (2^64 / phi, Knuth 6.4) that values of keys that differ by less than 2^31 are all different.
constexpr std::uint64_t version_step = golden_ratio;
constexpr std::uint64_t value_of(std::uint64_t key, std::uint64_t version) {
    return value_of(key) + version * version_step;
}
// Any number if the value was not written for this key.
constexpr std::uint64_t version_of(std::uint64_t key, std::uint64_t value) {
    return (value - value_of(key)) * 0xf1de'83e1'9937'733d; // the step's inverse modulo 2^64
}
static_assert(version_of(7, value_of(7, 123'456)) == 123'456);

// What the operation writes with its key, or, if it modifies, adds.
constexpr std::uint64_t operand_of(Instruction const& instruction) {
    bool const adds = instruction.operation == Operation::Modify;
    return adds ? version_step : value_of(instruction.key, instruction.version);
}

// Whether the key may have this value, if no version above the maximum has been written.
[[gnu::always_inline]] constexpr bool is_value_of(std::uint64_t key, std::uint64_t value, std::uint64_t max_version) {
    if (value == value_of(key)) [[likely]]
        return true;
    return version_of(key, value) <= max_version;
}
// The same for what a find or modify has met.
[[gnu::always_inline]] constexpr bool is_value_of(std::uint64_t key, std::uint64_t value, Order const& order) {
    if (value == value_of(key)) [[likely]]
        return !order.is_exact;
    std::uint64_t const version = version_of(key, value);
    return order.is_exact ? version == order.version : version <= order.version;
}

} // namespace mxk::bench
