// The system's reader-writer lock as a kind of `bench rcu-read`: one for each core, which nobody else wants, and one
// for all.
#include <pthread.h>

#include <cstdint>

#include "base/lock.hpp"
#include "base/units.hpp"
#include "bench/rcu/lock_readers.hpp"
#include "bench/rcu/read_kind.hpp"

namespace mxk::bench {
namespace {

// Taken by a reader.
class alignas(cache_line_bytes) SystemRwlock {
  public:
    using Node = NoLockNode;

    SystemRwlock() = default;
    SystemRwlock(SystemRwlock const&) = delete;
    SystemRwlock& operator=(SystemRwlock const&) = delete;
    ~SystemRwlock() { pthread_rwlock_destroy(&lock_); }

    void lock(Node& /*node*/ = no_lock_node) { pthread_rwlock_rdlock(&lock_); }
    void unlock(Node& /*node*/ = no_lock_node) { pthread_rwlock_unlock(&lock_); }
    // When nobody uses it: whether no reader has it. How often they had it, it does not know.
    [[nodiscard]] bool has_counted(std::uint64_t /*sections*/) {
        if (pthread_rwlock_trywrlock(&lock_) != 0) return false;
        pthread_rwlock_unlock(&lock_);
        return true;
    }

  private:
    pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
};

constexpr ReadKind pthread_rwlock{.name = "pthread-rwlock",
                                  .summary = "the system's reader-writer lock, one for each core",
                                  .library = "the system's C library",
                                  .run = &LockReaders<SystemRwlock, false>::run};
MXK_REGISTER(mxk_read_kinds, ReadKind, pthread_rwlock);
constexpr ReadKind pthread_rwlock_shared{.name = "pthread-rwlock-shared",
                                         .summary = "the system's reader-writer lock, one for all cores",
                                         .library = "the system's C library",
                                         .run = &LockReaders<SystemRwlock, true>::run};
MXK_REGISTER(mxk_read_kinds, ReadKind, pthread_rwlock_shared);

} // namespace
} // namespace mxk::bench
