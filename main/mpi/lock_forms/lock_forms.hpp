// The fabric of the program mxk-mpi, and a lock for it. Included by lock_kind.hpp, in place of
// locks/in_process/lock_forms/lock_forms.hpp.
#pragma once

#include "locks/fabric/one_sided.hpp"

namespace mxk::locks {

struct LockForms {
    LockForm mpi{};
};

template <template <typename> typename Algorithm>
inline constexpr LockForms lock_forms{.mpi = form_of<Algorithm<OneSided>, OneSidedSite>()};
// Locks for one memory are not there; those that need messages are.
template <template <typename> typename Algorithm> inline constexpr LockForms shared_lock_forms{};
template <template <typename> typename Algorithm>
inline constexpr LockForms one_sided_lock_forms = lock_forms<Algorithm>;

} // namespace mxk::locks
