// The fabrics of the kernel and of the Linux program, and a lock for each of them. Included by lock_kind.hpp.
#pragma once

#include <type_traits>

#include "base/inject.hpp"
#include "locks/fabric/one_sided.hpp"
#include "locks/fabric/smp.hpp"

namespace mxk::locks {

// Builds that inject delays measure nothing, and compile one form for both.
using MeasuredSmp = std::conditional_t<inject::enabled, CountingSmp, Smp>;

struct LockForms {
    LockForm smp{};
    LockForm counting{}; // smp with counts
    LockForm emulated{};
};

template <template <typename> typename Algorithm>
inline constexpr LockForms lock_forms{.smp = form_of<Algorithm<MeasuredSmp>, SmpSite, !inject::enabled>(),
                                      .counting = form_of<Algorithm<CountingSmp>, SmpSite>(),
                                      .emulated = form_of<Algorithm<OneSided>, OneSidedSite>()};
// Of locks for one memory, and of those that need messages.
template <template <typename> typename Algorithm>
inline constexpr LockForms shared_lock_forms{.smp = form_of<Algorithm<MeasuredSmp>, SmpSite, !inject::enabled>(),
                                             .counting = form_of<Algorithm<CountingSmp>, SmpSite>()};
template <template <typename> typename Algorithm>
inline constexpr LockForms one_sided_lock_forms{.emulated = form_of<Algorithm<OneSided>, OneSidedSite>()};

} // namespace mxk::locks
