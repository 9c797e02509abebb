// The kinds of locks that this program has.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "locks/lock_kind.hpp"
#include "main/mpi/session.hpp"

namespace mxk::mpi {

// Those of these names, with commas between, in this order; of an empty text all, sorted. Of several nodes those for
// one are not there.
Result<std::vector<locks::LockKind const*>> lock_kinds(Session const& session, std::string_view names);
// Those that are measured if none are named.
Result<std::vector<locks::LockKind const*>> default_lock_kinds(Session const& session);

} // namespace mxk::mpi
