// Kinds of locks as an option's value: names with commas between, in the order in which they are measured.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {

// As typed, of kinds that there are; empty: none was named.
struct LockNames {
    std::string_view text{};
};
using LockList = NodeVector<locks::LockKind const*>;

// The kinds of these names; of none, those whose place `by_default` is not 0, in the order of the places. Errors: no
// memory. The console's task.
Result<LockList> list_locks(LockNames const& names, std::uint8_t locks::DefaultPlace::*by_default);

// What kernel/console/options.hpp asks of an option's type. `all` names every kind that was built. Errors: no such
// kind, with those of a similar name; one that was not built.
Result<void> parse_value(std::string_view text, LockNames& names);
void print_value(TextSink& out, LockNames const& names);
void describe_value(TextSink& out, LockNames const& names);
void complete_value(console::Candidates& candidates, LockNames const& names);

// The list below a command's options in its help.
void print_lock_kinds(TextSink& out);

} // namespace mxk::bench
