// Two cores for targets that run tasks: for each call of with_cores() as long as it lasts, or, in a fuzzer, started
// once and kept until the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::fuzz {

// Before the first with_cores(): the main thread of a program that has no other Runtime.
void keep_cores();

// Calls body() on core 0. Envelopes and columns have memory of malloc() meanwhile, which AddressSanitizer looks at byte
// by byte; in the end all of it is given back, and what the heaps gave, in builds that check them.
void with_cores(std::function<void()> const& body);

struct QueryLimits {
    std::size_t looks = 0;         // of core 0, after which it is cancelled; 0: it is not
    std::size_t pieces = SIZE_MAX; // of memory for envelopes, columns and tables; then there is none
    std::size_t memory = SIZE_MAX; // bytes of it, which a monitor limits
};
// A query of the model, on both cores. It ends in any case.
Result<void> run_query(dataflow::Model const& model, QueryLimits const& limits);

// What is wrong with a plan or a model, or with a query of one, is said with a box of it, and as a whole.
void expect_complaint(std::string_view message);

} // namespace mxk::fuzz
