// What a lock does at a place of its source, and one of these steps that it does not do: the gate over MPI has to
// notice that. Included by the copies of the locks' sources (mutated.toml) in the programs mxk-mpi-mutants-*.
#pragma once

#include <cstdint>
#include <source_location>

#include "locks/fabric/transport.hpp"

namespace mxk::mpi {

using Where = std::source_location;

// Store: of words in plain memory, and messages. Put: a one-sided operation that says nothing, and its flush. Update:
// one that says what was there.
enum class Step : std::uint8_t { Store, Put, Update, Condition };

// Whether the step at this place is done.
bool does(Step step, Where const& from);
// The condition there, which `is_true`.
bool decides(Where const& from, bool is_true);
// Whether the next flush is left out: that of the last Put.
bool leaves_out_flush();

// MPI as lazy as its standard allows: what is put and accumulated begins when it is flushed (lazy_operations.cpp).
inline constinit bool is_lazy = false;

} // namespace mxk::mpi
