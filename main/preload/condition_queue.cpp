#include "main/preload/condition_queue.hpp"

#include <semaphore.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/spin_wait.hpp"
#include "main/preload/preload_memory.hpp"

namespace mxk::preload {
namespace {

enum class State : std::uint32_t {
    Waits,
    Signalled,
    Broadcast,
    Leaves, // late, or cancelled: it takes itself out of the queue
};

// On its thread's stack. The caller of signal() uses it up to the semaphore's post, for which the thread waits.
struct Waiter {
    Waiter* next = nullptr;
    Waiter* before = nullptr;
    std::atomic<State> state{State::Waits};
    sem_t woken;
};

// How often the process has forked from its first ancestor that has loaded the library: queues of another one's threads
// are empty.
constinit std::uint32_t generation = 0;

class ConditionQueue {
  public:
    static ConditionQueue& of(pthread_cond_t* condition) { return *reinterpret_cast<ConditionQueue*>(condition); }

    void append(Waiter& waiter) {
        lock();
        users_.fetch_add(1, std::memory_order_relaxed);
        waiter.before = last_;
        (last_ != nullptr ? last_->next : first_) = &waiter;
        last_ = &waiter;
        unlock();
    }
    // False: it was signalled before.
    bool leave(Waiter& waiter) {
        if (!change(waiter, State::Leaves)) return false;
        lock();
        unlink(waiter);
        unlock();
        return true;
    }
    // Wakes the first one, or all. One that leaves is passed over: it takes no signal with it.
    void wake(State state) {
        lock();
        Waiter* taken = nullptr;
        Waiter** end = &taken;
        for (Waiter* at = first_; at != nullptr;) {
            Waiter& waiter = *at;
            at = waiter.next;
            if (!change(waiter, state)) continue;
            unlink(waiter);
            waiter.next = nullptr;
            *end = &waiter;
            end = &waiter.next;
            if (state == State::Signalled) break;
        }
        unlock();
        while (taken != nullptr) {
            Waiter& waiter = *taken;
            taken = waiter.next;
            sem_post(&waiter.woken);
        }
    }
    // The waiter's last use of it.
    void end_use() { users_.fetch_sub(1, std::memory_order_release); }
    // Until nobody uses it any more: those who were signalled may be about to.
    void await_users() {
        lock();
        unlock();
        for (SpinWait wait; users_.load(std::memory_order_acquire) != 0;) wait.turn();
    }

  private:
    static bool change(Waiter& waiter, State state) {
        State expected = State::Waits;
        // relaxed: what comes with a signal the mutex, or the semaphore, publishes
        return waiter.state.compare_exchange_strong(expected, state, std::memory_order_relaxed);
    }
    void unlink(Waiter const& waiter) {
        (waiter.before != nullptr ? waiter.before->next : first_) = waiter.next;
        (waiter.next != nullptr ? waiter.next->before : last_) = waiter.before;
    }
    // The generation, and whether it is locked. With another generation in it, nobody is in the queue.
    void lock() {
        std::uint64_t const is_free = std::uint64_t{generation} << 32;
        for (SpinWait wait;; wait.turn()) {
            std::uint64_t seen = guard_.load(std::memory_order_relaxed);
            if (seen == (is_free | 1)) continue;
            if (!guard_.compare_exchange_weak(seen, is_free | 1, std::memory_order_acquire)) continue;
            if (seen != is_free) {
                first_ = last_ = nullptr;
                users_.store(0, std::memory_order_relaxed);
            }
            return;
        }
    }
    void unlock() { guard_.store(std::uint64_t{generation} << 32, std::memory_order_release); }

    std::atomic<std::uint64_t> guard_;
    Waiter* first_;
    Waiter* last_;
    std::atomic<std::uint32_t> users_;
};
static_assert(sizeof(ConditionQueue) <= offsetof(pthread_cond_t, __data.__wrefs));

bool is_shared(pthread_cond_t const* condition) {
    return (condition->__data.__wrefs & 1) != 0;
}
clockid_t clock_of(pthread_cond_t const* condition) {
    return (condition->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// A condition variable that is shared with other processes is glibc's, which knows nothing of the suite's mutexes. With
// those a waiter holds this one from before it releases its own until it waits, and so does who signals.
pthread_mutex_t surrogate = PTHREAD_MUTEX_INITIALIZER;

// Of one that was signalled as it left: the post has come, or is about to.
void await_post(Waiter& waiter) {
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    while (sem_wait(&waiter.woken) != 0) continue; // a signal handler has run
    pthread_setcancelstate(before, nullptr);
}

// One that does not wait any more was signalled: that is for another one.
void pass_signal(ConditionQueue& queue, Waiter const& waiter) {
    if (waiter.state.load(std::memory_order_relaxed) == State::Signalled) queue.wake(State::Signalled);
}

// What a thread that is cancelled while it waits still does.
struct Cancelled {
    pthread_mutex_t* mutex;
    ConditionQueue* queue;
    Waiter* waiter;
};
void end_cancelled(void* argument) {
    auto const& cancelled = *static_cast<Cancelled*>(argument);
    if (cancelled.waiter == nullptr) {
        glibc.unlock(&surrogate);
    } else if (!cancelled.queue->leave(*cancelled.waiter)) {
        await_post(*cancelled.waiter);
        pass_signal(*cancelled.queue, *cancelled.waiter);
    }
    if (cancelled.waiter != nullptr) cancelled.queue->end_use();
    chosen().lock(cancelled.mutex);
}

int wait_shared(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline) {
    bool const is_glibc = is_passed_through(mutex);
    if (!is_glibc) {
        glibc.lock(&surrogate);
        if (int const refused = chosen().unlock(mutex); refused != 0) {
            glibc.unlock(&surrogate);
            return refused;
        }
    }
    int result = 0;
    pthread_mutex_t* const with = is_glibc ? mutex : &surrogate;
    auto const wait = [&] {
        result = deadline == nullptr ? glibc.condition.wait(condition, with)
                                     : glibc.clockwait(condition, with, clock, deadline);
    };
    if (is_glibc) {
        wait();
        return result;
    }
    Cancelled cancelled{.mutex = mutex, .queue = nullptr, .waiter = nullptr};
    pthread_cleanup_push(&end_cancelled, &cancelled);
    wait();
    pthread_cleanup_pop(0);
    glibc.unlock(&surrogate);
    int const locked = chosen().lock(mutex);
    return locked != 0 ? locked : result;
}

// `deadline`: null: none. With a mutex that is left to glibc, too.
int wait_in_queue(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline) {
    if (deadline != nullptr && (deadline->tv_nsec < 0 || deadline->tv_nsec >= 1'000'000'000)) return EINVAL;
    if (is_shared(condition)) return wait_shared(condition, mutex, clock, deadline);
    KeptErrno const kept;
    ConditionQueue& queue = ConditionQueue::of(condition);
    Waiter waiter;
    sem_init(&waiter.woken, 0, 0);
    queue.append(waiter);
    if (int const refused = chosen().unlock(mutex); refused != 0) {
        if (!queue.leave(waiter)) {
            await_post(waiter);
            pass_signal(queue, waiter);
        }
        queue.end_use();
        return refused;
    }
    int result = 0;
    Cancelled cancelled{.mutex = mutex, .queue = &queue, .waiter = &waiter};
    pthread_cleanup_push(&end_cancelled, &cancelled);
    // What can be cancelled. A signal handler may have run: again.
    do result = deadline == nullptr ? sem_wait(&waiter.woken) : sem_clockwait(&waiter.woken, clock, deadline);
    while (result != 0 && errno == EINTR);
    pthread_cleanup_pop(0);
    if (result != 0) {
        result = errno;
        if (!queue.leave(waiter)) {
            await_post(waiter);
            result = 0;
        }
    }
    queue.end_use();
    int const locked = chosen().lock(mutex);
    return locked != 0 ? locked : result;
}

void wake(pthread_cond_t* condition, State state) {
    if (!is_shared(condition)) return ConditionQueue::of(condition).wake(state);
    glibc.lock(&surrogate);
    (state == State::Broadcast ? glibc.condition.broadcast : glibc.condition.signal)(condition);
    glibc.unlock(&surrogate);
}

int init(pthread_cond_t* condition, pthread_condattr_t const* attributes) {
    return glibc.condition.init(condition, attributes);
}
int destroy(pthread_cond_t* condition) {
    if (is_shared(condition)) return glibc.condition.destroy(condition);
    ConditionQueue::of(condition).await_users();
    return 0;
}
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return wait_in_queue(condition, mutex, CLOCK_REALTIME, nullptr);
}
int timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, timespec const* deadline) {
    return wait_in_queue(condition, mutex, clock_of(condition), deadline);
}
int signal(pthread_cond_t* condition) {
    wake(condition, State::Signalled);
    return 0;
}
int broadcast(pthread_cond_t* condition) {
    wake(condition, State::Broadcast);
    return 0;
}

// A condition variable of GLIBC_2.2.5 is smaller: its first word points to one of today, which the first to use it
// makes.
struct OldCondition {
    std::atomic<pthread_cond_t*> made;

    static OldCondition& of(pthread_cond_t* condition) { return *reinterpret_cast<OldCondition*>(condition); }
    static pthread_cond_t* in(pthread_cond_t* condition) {
        auto& made = of(condition).made;
        pthread_cond_t* known = made.load(std::memory_order_acquire);
        if (known != nullptr) return known;
        void* const memory = take_memory(sizeof(pthread_cond_t));
        std::memset(memory, 0, sizeof(pthread_cond_t));
        auto* const own = static_cast<pthread_cond_t*>(memory);
        if (made.compare_exchange_strong(known, own, std::memory_order_acq_rel)) return own;
        give_memory(memory, sizeof(pthread_cond_t));
        return known;
    }
};

int init_old(pthread_cond_t* condition, pthread_condattr_t const* attributes) {
    return glibc.old_condition.init(condition, attributes); // sets the word to null
}
int destroy_old(pthread_cond_t* condition) {
    pthread_cond_t* const made = OldCondition::of(condition).made.exchange(nullptr, std::memory_order_acq_rel);
    if (made == nullptr) return 0;
    ConditionQueue::of(made).await_users();
    give_memory(made, sizeof(pthread_cond_t));
    return 0;
}
int wait_old(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return wait(OldCondition::in(condition), mutex);
}
int timedwait_old(pthread_cond_t* condition, pthread_mutex_t* mutex, timespec const* deadline) {
    return timedwait(OldCondition::in(condition), mutex, deadline);
}
int signal_old(pthread_cond_t* condition) {
    return signal(OldCondition::in(condition));
}
int broadcast_old(pthread_cond_t* condition) {
    return broadcast(OldCondition::in(condition));
}

} // namespace

int wait_by_clock(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return wait_in_queue(condition, mutex, clock, deadline);
}

void forget_waiters() {
    ++generation;
    pthread_mutex_init(&surrogate, nullptr);
}

constinit ConditionOperations const queue_operations{.init = &init,
                                                     .destroy = &destroy,
                                                     .wait = &wait,
                                                     .timedwait = &timedwait,
                                                     .signal = &signal,
                                                     .broadcast = &broadcast};
constinit ConditionOperations const old_queue_operations{.init = &init_old,
                                                         .destroy = &destroy_old,
                                                         .wait = &wait_old,
                                                         .timedwait = &timedwait_old,
                                                         .signal = &signal_old,
                                                         .broadcast = &broadcast_old};

} // namespace mxk::preload
