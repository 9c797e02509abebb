// The lock of the kernel's own structures as a kind of `bench lock`, to be measured beside the others. Builds that
// check ranks have no form of it: users take two of a kind, one in the other.
#include "base/lock.hpp"
#include "base/spin_lock.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {
namespace {

using locks::Fairness, locks::LockForm, locks::LockForms, locks::LockKind, locks::SmpSite;

class OwnSpinLock {
  public:
    struct Node {};
    explicit OwnSpinLock(SmpSite const& /*site*/) {}
    void acquire(Node& /*node*/) { lock_.lock(); }
    void release(Node& /*node*/) { lock_.unlock(); }

  private:
    SpinLock lock_{lock_bands::application.rank(0)};
};

constexpr LockKind spin_lock{
    .name = "spin-lock",
    .summary = "what the kernel's own structures take: tickets, or who comes first where processors may be taken",
    .fairness = Fairness::Unbounded,
    .forms = {.smp = check_locks ? LockForm{} : locks::form_of<OwnSpinLock, SmpSite, true>()}};
MXK_REGISTER(mxk_lock_kinds, LockKind, spin_lock);

} // namespace
} // namespace mxk::bench
