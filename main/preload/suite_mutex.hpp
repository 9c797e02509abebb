// Mutexes whose lock is one of the suite (locks/kinds/).
#pragma once

#include "locks/lock_kind.hpp"

namespace mxk::preload {

// Null: there is none of that name.
locks::LockKind const* find_kind(std::string_view name);
// After find_processors(). Once.
void start_suite(locks::LockKind const& kind, bool reports);
// In a child that was forked, by its only thread: what others held stays held, what they waited for or were about to
// release is free, and what this thread holds it has alone.
void repair_suite();

} // namespace mxk::preload
