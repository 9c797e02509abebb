// The system's reader-writer lock as a kind of `bench rcu-read`: one for each core, which nobody else wants, and one
// for all.
#include <pthread.h>

#include <memory>
#include <vector>

#include "bench/rcu/read_kind.hpp"

namespace mxk::bench {
namespace {

class alignas(cache_line_bytes) SystemRwlock {
  public:
    SystemRwlock() = default;
    SystemRwlock(SystemRwlock const&) = delete;
    SystemRwlock& operator=(SystemRwlock const&) = delete;
    ~SystemRwlock() { pthread_rwlock_destroy(&lock_); }

    void lock() { pthread_rwlock_rdlock(&lock_); }
    void unlock() { pthread_rwlock_unlock(&lock_); }
    // Whether no reader has it.
    [[nodiscard]] bool is_free() {
        if (pthread_rwlock_trywrlock(&lock_) != 0) return false;
        pthread_rwlock_unlock(&lock_);
        return true;
    }

  private:
    pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
};

template <bool is_shared> class SystemRwlocks {
  public:
    explicit SystemRwlocks(std::size_t cores)
        : locks_(is_shared ? 1 : cores) {}

    class Reader {
      public:
        class Section {
          public:
            explicit Section(Reader& reader)
                : lock_(reader.lock_) {
                lock_.lock();
            }
            ~Section() { lock_.unlock(); }
            Section(Section const&) = delete;
            Section& operator=(Section const&) = delete;

          private:
            SystemRwlock& lock_;
        };
        Reader(SystemRwlocks& locks, std::size_t place)
            : lock_(locks.locks_[is_shared ? 0 : place]) {}
        static void quiescent() {}

      private:
        SystemRwlock& lock_;
    };

    [[nodiscard]] bool is_sound(std::uint64_t /*sections*/) {
        bool all_are_free = true;
        for (SystemRwlock& lock : locks_) all_are_free = lock.is_free() && all_are_free;
        return all_are_free;
    }

    static Result<Sample> run(ReadRun const& run) {
        SystemRwlocks locks(run.cores.size());
        return read_in_tasks(run, locks);
    }

  private:
    std::vector<SystemRwlock> locks_;
};

constexpr ReadKind pthread_rwlock{.name = "pthread-rwlock",
                                  .summary = "the system's reader-writer lock, one for each core",
                                  .library = "the system's C library",
                                  .run = &SystemRwlocks<false>::run};
MXK_REGISTER(mxk_read_kinds, ReadKind, pthread_rwlock);
constexpr ReadKind pthread_rwlock_shared{.name = "pthread-rwlock-shared",
                                         .summary = "the system's reader-writer lock, one for all cores",
                                         .library = "the system's C library",
                                         .run = &SystemRwlocks<true>::run};
MXK_REGISTER(mxk_read_kinds, ReadKind, pthread_rwlock_shared);

} // namespace
} // namespace mxk::bench
