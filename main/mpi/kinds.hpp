// The kinds of locks that this program has.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kernel/sync/locks/lock_kind.hpp"

namespace mxk::mpi {

// By name, or all if there are no names; in the order of names.
Result<std::vector<locks::LockKind const*>> lock_kinds(std::span<std::string_view const> names);

} // namespace mxk::mpi
