// MPI's own lock, as a kind that only this program has: an exclusive lock of a window, which has to be a window of its
// own, since one in an epoch of all ranks cannot be locked. What it costs and how fair it is, is the library's affair.
#include "locks/lock_kind.hpp"
#include "main/mpi/mpi_transport.hpp"

namespace mxk::locks {
namespace {

template <typename F> class WindowLock {
  public:
    struct Node {};
    explicit WindowLock(OneSidedSite const& site)
        : world_(&static_cast<MpiTransport&>(site.transport()).world())
        , window_(world_->open_window_lock(site.home())) {}
    ~WindowLock() { world_->close_window_lock(window_); }
    WindowLock(WindowLock const&) = delete;
    WindowLock& operator=(WindowLock const&) = delete;

    void acquire(Node& /*node*/) { world_->lock_window(window_); }
    void release(Node& /*node*/) { world_->unlock_window(window_); }

  private:
    mpi::World* world_;
    mpi::World::WindowLock window_;
};

constexpr LockKind mpi_window{.name = "mpi-window",
                              .summary = "MPI_Win_lock, exclusive, of a window of its own",
                              .fairness = Fairness::Unbounded,
                              .by_default = {.mpi = 80},
                              .forms = lock_forms<WindowLock>};
MXK_REGISTER(mxk_lock_kinds, LockKind, mpi_window);

} // namespace
} // namespace mxk::locks
