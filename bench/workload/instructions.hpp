// The instructions of a run (thesis section 4): operations and keys made before the run, and run by what is measured.
// Each one's result is known beforehand, and is checked.
#pragma once

#include <cstdint>

#include "bench/workload/keys.hpp"
#include "hashtable/operation.hpp"

namespace mxk::bench {

struct Instruction {
    std::uint64_t key;
    Operation operation;
    bool expected; // its result
};
static_assert(sizeof(Instruction) == 16);

// What is inserted with a key, by tables that hold values.
constexpr std::uint64_t value_of(std::uint64_t key) {
    return ~key;
}

} // namespace mxk::bench
