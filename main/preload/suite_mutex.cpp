#include "main/preload/suite_mutex.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <source_location>

#include "arch/lock_user.hpp"
#include "base/panic.hpp"
#include "base/spin_wait.hpp"
#include "locks/fabric/lock_records.hpp"
#include "main/preload/condition_queue.hpp"
#include "main/preload/mutex_operations.hpp"
#include "main/preload/mutex_record.hpp"
#include "main/preload/preload_memory.hpp"
#include "main/preload/processors.hpp"

namespace mxk::preload {
namespace {

constinit locks::ThreadForm form;
constinit bool is_of_thread = false; // only the thread that has locked can unlock
constinit bool has_failed = false;
constinit locks::SmpSite site;

// Which core the caller counts as in locks for nodes: not always the one where it runs, which it would have to ask for.
void count_as_near_core() {
    LockUser& user = arch::lock_user();
    if (user.turns++ % 64 != 0) return;
    user.held = 1; // from now on it is somewhere
    user.core = core_id(current_processor());
}

void construct_lock(MutexRecord& record) {
    form.construct(record.lock(), site);
}

// The caller has it now.
void own(MutexRecord& record, void* held) {
    record.owner.store(this_thread(), std::memory_order_relaxed);
    record.held = held;
    record.counted_as = arch::lock_user().core;
}
// Of a kind that cannot try, the lock is only the way to the owner's word, past which trylock() goes.
bool try_to_own(MutexRecord& record) {
    void const* nobody = nullptr;
    // acquire: pairs with give()
    return record.owner.compare_exchange_strong(nobody, this_thread(), std::memory_order_acquire,
                                                std::memory_order_relaxed);
}
void take(MutexRecord& record) {
    count_as_near_core();
    void* const held = form.lock(record.lock());
    if (form.try_lock == nullptr)
        for (SpinWait wait; !try_to_own(record);) wait.turn();
    own(record, held);
}
bool try_to_take(MutexRecord& record) {
    void* held = nullptr;
    if (form.try_lock == nullptr) {
        if (!try_to_own(record)) return false;
    } else {
        count_as_near_core();
        // Of a lock for nodes a part may still be held that nobody needs: by one that has just unlocked, or tried.
        for (SpinWait wait; (held = form.try_lock(record.lock())) == nullptr; wait.turn())
            if (record.owner.load(std::memory_order_relaxed) != nullptr) return false;
    }
    own(record, held);
    return true;
}
void give(MutexRecord& record) {
    if (is_of_thread && record.owner.load(std::memory_order_relaxed) != this_thread()) [[unlikely]]
        die("a thread unlocks what another one has locked: expected MXK_LOCK of a kind without Hemlock",
            std::source_location::current());
    // The lines that it gets are given back at its end, also if it has never locked.
    if (record.owner.load(std::memory_order_relaxed) != this_thread()) locks::keep_user();
    void* const held = record.held;
    LockUser& user = arch::lock_user();
    user.held = 1;
    user.core = record.counted_as; // also if another thread has locked it
    record.owner.store(nullptr, std::memory_order_release);
    if (held != nullptr) form.unlock(record.lock(), held);
}

class Deadline {
  public:
    Deadline(clockid_t clock, timespec const& deadline)
        : clock_(clock)
        , deadline_(deadline) {}
    // Nanoseconds; 0 or less: it is late.
    [[nodiscard]] std::int64_t left() const {
        constexpr std::int64_t max_seconds = 1'000'000'000;
        timespec now{};
        clock_gettime(clock_, &now);
        std::int64_t const seconds =
            std::clamp<std::int64_t>(deadline_.tv_sec, 0, now.tv_sec + max_seconds) - now.tv_sec;
        return seconds * 1'000'000'000 + deadline_.tv_nsec - now.tv_nsec;
    }

  private:
    clockid_t clock_;
    timespec const& deadline_;
};

// Where the kind's waiters can leave its queue they wait in it; else one with a deadline tries again, at first at once,
// then after longer and longer pauses.
bool take_until(MutexRecord& record, Deadline const& deadline) {
    if (form.lock_unless != nullptr) {
        count_as_near_core();
        auto const is_late = [](void* until) { return static_cast<Deadline const*>(until)->left() <= 0; };
        void* const held = form.lock_unless(record.lock(), is_late, const_cast<Deadline*>(&deadline));
        if (held != nullptr) own(record, held);
        return held != nullptr;
    }
    KeptErrno const kept;
    std::int64_t pause = 20'000;
    for (int turn = 0; !try_to_take(record); ++turn) {
        std::int64_t const left = deadline.left();
        if (left <= 0) return false;
        if (turn < 200) {
            for (int i = 0; i < 10; ++i) __builtin_ia32_pause();
            continue;
        }
        timespec const time{.tv_sec = 0, .tv_nsec = std::min(left, pause)};
        syscall(SYS_nanosleep, &time, nullptr); // nanosleep() could be cancelled
        pause = std::min<std::int64_t>(2 * pause, 1'000'000);
    }
    return true;
}

bool is_owned(MutexRecord const& record) {
    return record.owner.load(std::memory_order_relaxed) == this_thread();
}
int lock_again(MutexRecord& record, int type) {
    if (type == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
    if (record.depth + 1 == 0) return EAGAIN;
    ++record.depth;
    return 0;
}
bool asks_for_owner(int type) {
    return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
}

template <bool reports> struct SuiteMutex {
    static void acquired(MutexRecord& record, std::uint64_t begin) {
        if constexpr (reports)
            if (record.statistics != nullptr) record.statistics->acquired(this_thread(), begin);
    }

    static int lock(pthread_mutex_t* mutex) {
        if (is_passed_through(mutex)) [[unlikely]]
            return glibc.lock(mutex);
        MutexRecord& record = record_of(mutex, __builtin_return_address(0));
        int const type = type_of(mutex);
        if (asks_for_owner(type) && is_owned(record)) return lock_again(record, type);
        std::uint64_t begin = 0;
        if (reports && record.owner.load(std::memory_order_relaxed) != nullptr) begin = nanoseconds_now();
        take(record);
        acquired(record, begin);
        return 0;
    }
    static int trylock(pthread_mutex_t* mutex) {
        if (is_passed_through(mutex)) return glibc.trylock(mutex);
        MutexRecord& record = record_of(mutex, __builtin_return_address(0));
        if (type_of(mutex) == PTHREAD_MUTEX_RECURSIVE && is_owned(record))
            return lock_again(record, PTHREAD_MUTEX_RECURSIVE);
        if (!try_to_take(record)) return EBUSY;
        acquired(record, 0);
        return 0;
    }
    static int clocklock(pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline) {
        if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
        if (is_passed_through(mutex)) return glibc.clocklock(mutex, clock, deadline);
        MutexRecord& record = record_of(mutex, __builtin_return_address(0));
        int const type = type_of(mutex);
        if (asks_for_owner(type) && is_owned(record)) return lock_again(record, type);
        std::uint64_t begin = 0;
        if (!try_to_take(record)) {
            if (deadline->tv_nsec < 0 || deadline->tv_nsec >= 1'000'000'000) return EINVAL;
            begin = reports ? nanoseconds_now() : 0;
            if (!take_until(record, Deadline(clock, *deadline))) return ETIMEDOUT;
        }
        acquired(record, begin);
        return 0;
    }
    static int timedlock(pthread_mutex_t* mutex, timespec const* deadline) {
        return is_passed_through(mutex) ? glibc.timedlock(mutex, deadline) : clocklock(mutex, CLOCK_REALTIME, deadline);
    }
    static int unlock(pthread_mutex_t* mutex) {
        if (is_passed_through(mutex)) [[unlikely]]
            return glibc.unlock(mutex);
        MutexRecord* const known = known_record(mutex);
        // Nobody has locked it.
        if (known == nullptr || known->owner.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
            return EPERM;
        MutexRecord& record = *known;
        int const type = type_of(mutex);
        if (asks_for_owner(type)) {
            if (!is_owned(record)) return EPERM;
            if (record.depth != 0) {
                --record.depth;
                return 0;
            }
        }
        if constexpr (reports)
            if (record.statistics != nullptr) record.statistics->released(this_thread());
        give(record);
        return 0;
    }
    static int destroy(pthread_mutex_t* mutex) {
        if (!is_passed_through(mutex)) {
            MutexRecord const* const record = known_record(mutex);
            if (record != nullptr && record->owner.load(std::memory_order_relaxed) != nullptr) return EBUSY;
            forget_record(mutex);
        }
        return glibc.destroy(mutex);
    }

    static constexpr Operations operations{.lock = &lock,
                                           .trylock = &trylock,
                                           .timedlock = &timedlock,
                                           .clocklock = &clocklock,
                                           .unlock = &unlock,
                                           .destroy = &destroy,
                                           .clockwait = &wait_by_clock,
                                           .condition = {},
                                           .old_condition = {}};
};

} // namespace

locks::LockKind const* find_kind(std::string_view name) {
    for (locks::LockKind const* kind : locks::registered_lock_kinds())
        if (kind->name == name && kind->forms.threads.is_there()) return kind;
    return nullptr;
}

void start_suite(locks::LockKind const& kind, bool reports) {
    form = kind.forms.threads;
    is_of_thread = kind.name.find("hem") != std::string_view::npos;
    site = locks::SmpSite(processors_topology(), has_failed);
    prepare_records(form.bytes, &construct_lock, reports);
}

Operations const& suite_operations(bool reports) {
    static constinit Operations made{};
    made = reports ? SuiteMutex<true>::operations : SuiteMutex<false>::operations;
    made.condition = queue_operations;
    made.old_condition = old_queue_operations;
    return made;
}

void repair_suite() {
    arch::lock_user().grant.store(0, std::memory_order_relaxed); // whom it was granted to is not here
    each_record([](MutexRecord& record) {
        void const* const owner = record.owner.load(std::memory_order_relaxed);
        if (owner != nullptr && owner != this_thread()) return;
        form.destroy(record.lock());
        form.construct(record.lock(), site);
        if (owner == nullptr) return;
        count_as_near_core();
        record.held = form.lock(record.lock());
        record.counted_as = arch::lock_user().core;
    });
}

} // namespace mxk::preload
