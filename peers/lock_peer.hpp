// Locks of others as kinds of `bench lock`, in the one form that they have.
#pragma once

#include <string_view>

#include "base/registry.hpp"
#include "locks/fabric/smp.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {

using locks::Fairness, locks::LockKind, locks::SmpSite;

template <typename Lock>
constexpr LockKind peer_lock(std::string_view name, std::string_view library, std::string_view summary,
                             Fairness fairness = Fairness::Unbounded) {
    return {.name = name,
            .summary = summary,
            .library = library,
            .fairness = fairness,
            .has_nodes = fairness == Fairness::Bounded,
            .forms = {.smp = locks::form_of<Lock, SmpSite>()}};
}

// One whose users bring nothing.
template <typename Mutex> class PlainLock {
  public:
    struct Node {};
    explicit PlainLock(SmpSite const& /*site*/) {}
    void acquire(Node& /*node*/) { mutex_.lock(); }
    void release(Node& /*node*/) { mutex_.unlock(); }

  private:
    Mutex mutex_{};
};

} // namespace mxk::bench
