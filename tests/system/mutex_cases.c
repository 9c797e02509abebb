/* What test_lock_preload.py runs: each case is a promise of POSIX or of glibc that a program may rely on. Nothing is
 * printed where it holds. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define EXPECT(what, value)                                                                                            \
    do {                                                                                                               \
        long const got_ = (long)(what), expected_ = (long)(value);                                                     \
        if (got_ != expected_) {                                                                                       \
            fprintf(stderr, "%s:%d: %s is %ld, expected %ld\n", __FILE__, __LINE__, #what, got_, expected_);           \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
#define TRUE_(what) EXPECT(!!(what), 1)

enum { THREADS = 4 };

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t early_recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int early_count;
__attribute__((constructor(101))) static void begin(void) {
    EXPECT(pthread_mutex_lock(&early), 0);
    EXPECT(pthread_mutex_lock(&early_recursive), 0);
    EXPECT(pthread_mutex_lock(&early_recursive), 0);
    EXPECT(pthread_mutex_unlock(&early_recursive), 0);
    ++early_count;
}

static struct timespec in(clockid_t clock, long milliseconds) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += milliseconds % 1000 * 1000000;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}
static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
static void pause_for(long milliseconds) {
    struct timespec const time = {.tv_nsec = milliseconds * 1000000};
    nanosleep(&time, NULL);
}
static void run_threads(int count, void* (*function)(void*), void* argument) {
    pthread_t threads[16];
    for (int i = 0; i < count; ++i) EXPECT(pthread_create(&threads[i], NULL, function, argument), 0);
    for (int i = 0; i < count; ++i) EXPECT(pthread_join(threads[i], NULL), 0);
}
/* Another thread does it; its result. */
struct Call {
    int (*function)(pthread_mutex_t*);
    pthread_mutex_t* mutex;
    int result;
};
static void* run_call(void* argument) {
    struct Call* const call = argument;
    call->result = call->function(call->mutex);
    return NULL;
}
static int by_another(int (*function)(pthread_mutex_t*), pthread_mutex_t* mutex) {
    struct Call call = {function, mutex, -1};
    run_threads(1, &run_call, &call);
    return call.result;
}
static pthread_mutex_t made(int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    EXPECT(pthread_mutexattr_settype(&attributes, type), 0);
    pthread_mutex_t mutex;
    EXPECT(pthread_mutex_init(&mutex, &attributes), 0);
    return mutex; /* moved before its first use */
}

static void before_main(void) {
    EXPECT(early_count, 1);
    EXPECT(by_another(&pthread_mutex_trylock, &early), EBUSY);
    EXPECT(by_another(&pthread_mutex_trylock, &early_recursive), EBUSY);
    EXPECT(pthread_mutex_unlock(&early), 0);
    EXPECT(pthread_mutex_unlock(&early_recursive), 0);
    EXPECT(by_another(&pthread_mutex_trylock, &early_recursive), 0);
}

/* Whose mutex it is: glibc's says so in its first word. */
static void not_glibc(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    EXPECT(pthread_mutex_lock(&mutex), 0);
    EXPECT(mutex.__data.__lock, 0);
    EXPECT(pthread_mutex_unlock(&mutex), 0);
}
static void glibc_itself(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    EXPECT(pthread_mutex_lock(&mutex), 0);
    EXPECT(mutex.__data.__lock, 1);
    EXPECT(pthread_mutex_unlock(&mutex), 0);
    EXPECT(mutex.__data.__list.__prev == NULL, 1);
}

static void types(void) {
    int const plain[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP};
    for (int i = 0; i < 2; ++i) {
        pthread_mutex_t mutex = made(plain[i]);
        EXPECT(pthread_mutex_lock(&mutex), 0);
        EXPECT(pthread_mutex_trylock(&mutex), EBUSY);
        EXPECT(by_another(&pthread_mutex_trylock, &mutex), EBUSY);
        EXPECT(pthread_mutex_unlock(&mutex), 0);
        EXPECT(by_another(&pthread_mutex_trylock, &mutex), 0);
    }
    pthread_mutex_t recursive = made(PTHREAD_MUTEX_RECURSIVE);
    EXPECT(pthread_mutex_lock(&recursive), 0);
    EXPECT(pthread_mutex_trylock(&recursive), 0);
    EXPECT(pthread_mutex_lock(&recursive), 0);
    for (int i = 0; i < 3; ++i) {
        EXPECT(by_another(&pthread_mutex_trylock, &recursive), EBUSY);
        EXPECT(by_another(&pthread_mutex_unlock, &recursive), EPERM);
        EXPECT(pthread_mutex_unlock(&recursive), 0);
    }
    EXPECT(pthread_mutex_unlock(&recursive), EPERM);
    EXPECT(by_another(&pthread_mutex_trylock, &recursive), 0);
    pthread_mutex_t checked = made(PTHREAD_MUTEX_ERRORCHECK);
    struct timespec const soon = in(CLOCK_REALTIME, 10);
    EXPECT(pthread_mutex_unlock(&checked), EPERM);
    EXPECT(pthread_mutex_lock(&checked), 0);
    EXPECT(pthread_mutex_lock(&checked), EDEADLK);
    EXPECT(pthread_mutex_timedlock(&checked, &soon), EDEADLK);
    EXPECT(pthread_mutex_trylock(&checked), EBUSY);
    EXPECT(by_another(&pthread_mutex_unlock, &checked), EPERM);
    EXPECT(pthread_mutex_unlock(&checked), 0);
    EXPECT(by_another(&pthread_mutex_trylock, &checked), 0);
}

static pthread_mutex_t timed = PTHREAD_MUTEX_INITIALIZER;
static void* hold_for_a_while(void* argument) {
    EXPECT(pthread_mutex_lock(&timed), 0);
    *(volatile int*)argument = 1;
    pause_for(30);
    EXPECT(pthread_mutex_unlock(&timed), 0);
    return NULL;
}
static int wait_until_late(pthread_mutex_t* mutex) {
    double const begin = seconds();
    struct timespec deadline = in(CLOCK_REALTIME, 20);
    errno = 0;
    int const result = pthread_mutex_timedlock(mutex, &deadline);
    TRUE_(seconds() - begin > 0.019);
    deadline = in(CLOCK_MONOTONIC, 20);
    EXPECT(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &deadline), result);
    TRUE_(seconds() - begin > 0.038);
    deadline.tv_nsec = 1000000000;
    EXPECT(pthread_mutex_timedlock(mutex, &deadline), EINVAL);
    EXPECT(pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &deadline), EINVAL);
    EXPECT(errno, 0); /* errors are returned */
    return result;
}
static void deadlines(void) {
    EXPECT(pthread_mutex_lock(&timed), 0);
    EXPECT(by_another(&wait_until_late, &timed), ETIMEDOUT);
    EXPECT(pthread_mutex_unlock(&timed), 0);
    struct timespec const past = {0};
    EXPECT(pthread_mutex_timedlock(&timed, &past), 0); /* free: nobody looks at the time */
    EXPECT(pthread_mutex_unlock(&timed), 0);
    volatile int is_held = 0;
    pthread_t holder;
    pthread_create(&holder, NULL, &hold_for_a_while, (void*)&is_held);
    while (!is_held) sched_yield();
    struct timespec const never = {.tv_sec = __LONG_MAX__};
    EXPECT(pthread_mutex_timedlock(&timed, &never), 0);
    EXPECT(pthread_mutex_unlock(&timed), 0);
    pthread_join(holder, NULL);
}

/* Threads that all use them first at the same moment. */
static struct {
    pthread_mutex_t mutex;
    long count;
} first_uses[] = {{PTHREAD_MUTEX_INITIALIZER, 0},
                  {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, 0},
                  {PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, 0},
                  {PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, 0}};
static pthread_barrier_t together;
enum { TURNS = 800 };
static void* count_all(void* argument) {
    (void)argument;
    pthread_barrier_wait(&together);
    for (int turn = 0; turn < TURNS; ++turn)
        for (int i = 0; i < 4; ++i) {
            if (turn % 8 != 7 || pthread_mutex_trylock(&first_uses[i].mutex) != 0)
                EXPECT(pthread_mutex_lock(&first_uses[i].mutex), 0);
            long const before = first_uses[i].count;
            if (turn % 64 == 0) sched_yield();
            first_uses[i].count = before + 1;
            EXPECT(pthread_mutex_unlock(&first_uses[i].mutex), 0);
        }
    return NULL;
}
static void exclusion(void) {
    pthread_barrier_init(&together, NULL, THREADS);
    run_threads(THREADS, &count_all, NULL);
    for (int i = 0; i < 4; ++i) EXPECT(first_uses[i].count, THREADS * TURNS);
}

static void made_again(void) {
    pthread_mutex_t* const place = malloc(sizeof(pthread_mutex_t));
    pthread_mutex_init(place, NULL);
    for (int i = 0; i < 3; ++i) {
        EXPECT(pthread_mutex_lock(place), 0);
        EXPECT(pthread_mutex_destroy(place), EBUSY);
        EXPECT(pthread_mutex_unlock(place), 0);
        EXPECT(pthread_mutex_destroy(place), 0);
        EXPECT(pthread_mutex_lock(place), EINVAL);
        pthread_mutex_init(place, NULL);
    }
    EXPECT(pthread_mutex_lock(place), 0);
    memset(place, 0, sizeof(*place)); /* made again while it is held */
    EXPECT(by_another(&pthread_mutex_trylock, place), 0);
    *place = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    EXPECT(pthread_mutex_lock(place), 0);
    EXPECT(pthread_mutex_lock(place), 0);
    pthread_mutex_init(place, NULL);
    EXPECT(pthread_mutex_lock(place), 0);
    EXPECT(pthread_mutex_trylock(place), EBUSY);
    /* A copy is another one. */
    EXPECT(pthread_mutex_unlock(place), 0);
    pthread_mutex_t copy = *place;
    EXPECT(pthread_mutex_lock(place), 0);
    EXPECT(pthread_mutex_trylock(&copy), 0);
    EXPECT(pthread_mutex_unlock(&copy), 0);
    EXPECT(pthread_mutex_unlock(place), 0);
    /* Many that come and go need no more memory than those that are there at once. */
    long before = 0;
    for (int round = 0; round < 20; ++round) {
        enum { COUNT = 4000 };
        static pthread_mutex_t many[20][COUNT];
        for (int i = 0; i < COUNT; ++i) {
            EXPECT(pthread_mutex_lock(&many[round][i]), 0);
            EXPECT(pthread_mutex_unlock(&many[round][i]), 0);
        }
        for (int i = 0; i < COUNT; ++i) EXPECT(pthread_mutex_destroy(&many[round][i]), 0);
        long pages = 0;
        FILE* const file = fopen("/proc/self/statm", "r");
        EXPECT(fscanf(file, "%*d %ld", &pages), 1);
        fclose(file);
        if (round == 0) before = pages;
        /* The mutexes themselves, and 1 MiB for all else: a record has 128 bytes or more. */
        TRUE_(pages - before < round * (COUNT * 40 / 4096 + 1) + 256);
    }
}

static void* die_with(void* mutex) {
    EXPECT(pthread_mutex_lock(mutex), 0);
    return NULL;
}
static void passed_through(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t robust;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    run_threads(1, &die_with, &robust);
    EXPECT(pthread_mutex_lock(&robust), EOWNERDEAD);
    EXPECT(pthread_mutex_consistent(&robust), 0);
    EXPECT(pthread_mutex_unlock(&robust), 0);
    EXPECT(pthread_mutex_destroy(&robust), 0);

    pthread_mutexattr_init(&attributes);
    EXPECT(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT), 0);
    pthread_mutex_t inherits;
    pthread_mutex_init(&inherits, &attributes);
    EXPECT(pthread_mutex_lock(&inherits), 0);
    TRUE_(inherits.__data.__lock != 0);
    EXPECT(by_another(&pthread_mutex_trylock, &inherits), EBUSY);
    EXPECT(by_another(&wait_until_late, &inherits), ETIMEDOUT);
    EXPECT(pthread_mutex_unlock(&inherits), 0);
    EXPECT(pthread_mutex_destroy(&inherits), 0);

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    struct {
        pthread_mutex_t mutex;
        pthread_cond_t changed;
        long count;
    }* const shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutex_init(&shared->mutex, &attributes);
    pthread_condattr_t of_condition;
    pthread_condattr_init(&of_condition);
    pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &of_condition);
    pid_t const child = fork();
    for (int i = 0; i < 1000; ++i) { /* they take turns */
        EXPECT(pthread_mutex_lock(&shared->mutex), 0);
        while (shared->count % 2 != (child == 0)) EXPECT(pthread_cond_wait(&shared->changed, &shared->mutex), 0);
        ++shared->count;
        TRUE_(shared->mutex.__data.__lock != 0); /* also for the other process */
        EXPECT(pthread_cond_signal(&shared->changed), 0);
        EXPECT(pthread_mutex_unlock(&shared->mutex), 0);
    }
    if (child == 0) _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT(status, 0);
    EXPECT(shared->count, 2000);
}

/* Two threads take turns by one condition variable, in all ways to wait. */
struct Turns {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int (*wait)(pthread_cond_t*, pthread_mutex_t*);
    int (*signal)(pthread_cond_t*);
    long count;
};
static void take_turns(struct Turns* turns, int mine) {
    for (int i = 0; i < 500; ++i) {
        EXPECT(pthread_mutex_lock(&turns->mutex), 0);
        while (turns->count % 2 != mine) EXPECT(turns->wait(&turns->changed, &turns->mutex), 0);
        ++turns->count;
        EXPECT(turns->signal(&turns->changed), 0);
        EXPECT(pthread_mutex_unlock(&turns->mutex), 0);
    }
}
static void* take_odd_turns(void* turns) {
    take_turns(turns, 1);
    return NULL;
}
static void check_turns(int (*wait)(pthread_cond_t*, pthread_mutex_t*), int (*signal)(pthread_cond_t*),
                        pthread_cond_t const* condition, int type) {
    struct Turns turns = {made(type), *condition, wait, signal, 0};
    pthread_t other;
    pthread_create(&other, NULL, &take_odd_turns, &turns);
    take_turns(&turns, 0);
    pthread_join(other, NULL);
    EXPECT(turns.count, 1000);
}
static int wait_by_time(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    struct timespec const deadline = in(CLOCK_REALTIME, 20000);
    return pthread_cond_timedwait(condition, mutex, &deadline);
}
static int wait_by_monotonic_time(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    struct timespec const deadline = in(CLOCK_MONOTONIC, 20000);
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &deadline);
}

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int waiting, woken, may_go;
} room = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
static void unlock_room(void* argument) {
    (void)argument;
    ++room.woken;
    EXPECT(pthread_mutex_unlock(&room.mutex), 0); /* it has the mutex */
}
static void* wait_in_room(void* argument) {
    pthread_mutex_lock(&room.mutex);
    ++room.waiting;
    pthread_cleanup_push(&unlock_room, NULL);
    while (!room.may_go) EXPECT(pthread_cond_wait(&room.changed, &room.mutex), 0);
    pthread_cleanup_pop(1);
    return argument;
}
static void start_waiters(pthread_t* threads, int count) {
    room.waiting = room.woken = room.may_go = 0;
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, &wait_in_room, NULL);
    for (int is_full = 0; !is_full; sched_yield()) {
        pthread_mutex_lock(&room.mutex);
        is_full = room.waiting == count;
        pthread_mutex_unlock(&room.mutex);
    }
}

static void late(pthread_cond_t* condition, clockid_t clock, int by_clock) {
    pthread_mutex_t mutex = made(PTHREAD_MUTEX_ERRORCHECK);
    double const begin = seconds();
    struct timespec deadline = in(clock, 20);
    EXPECT(pthread_cond_timedwait(condition, &mutex, &deadline), EPERM);
    EXPECT(pthread_mutex_lock(&mutex), 0);
    errno = 0;
    EXPECT(by_clock ? pthread_cond_clockwait(condition, &mutex, clock, &deadline)
                    : pthread_cond_timedwait(condition, &mutex, &deadline),
           ETIMEDOUT);
    EXPECT(errno, 0);
    TRUE_(seconds() - begin > 0.019);
    TRUE_(seconds() - begin < 10);
    EXPECT(pthread_mutex_lock(&mutex), EDEADLK); /* it has it again */
    deadline.tv_nsec = -1;
    EXPECT(pthread_cond_timedwait(condition, &mutex, &deadline), EINVAL);
    EXPECT(pthread_mutex_unlock(&mutex), 0);
    EXPECT(pthread_cond_destroy(condition), 0);
}
static void conditions(void) {
    pthread_cond_t const fresh = PTHREAD_COND_INITIALIZER;
    check_turns(&pthread_cond_wait, &pthread_cond_signal, &fresh, PTHREAD_MUTEX_NORMAL);
    check_turns(&wait_by_time, &pthread_cond_broadcast, &fresh, PTHREAD_MUTEX_RECURSIVE);
    check_turns(&wait_by_monotonic_time, &pthread_cond_signal, &fresh, PTHREAD_MUTEX_ERRORCHECK);
    pthread_cond_t condition = fresh;
    late(&condition, CLOCK_REALTIME, 0);
    condition = fresh;
    late(&condition, CLOCK_MONOTONIC, 1);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition, &attributes);
    late(&condition, CLOCK_MONOTONIC, 0);
    /* Shared, with a mutex that is not. */
    pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&condition, &attributes);
    check_turns(&pthread_cond_wait, &pthread_cond_signal, &condition, PTHREAD_MUTEX_NORMAL);
    pthread_cond_init(&condition, &attributes);
    late(&condition, CLOCK_MONOTONIC, 0);

    /* A signal wakes one, a broadcast all; what is signalled while nobody waits is lost. */
    pthread_cond_signal(&room.changed);
    pthread_t threads[THREADS];
    start_waiters(threads, THREADS);
    pthread_mutex_lock(&room.mutex);
    room.may_go = 1;
    pthread_cond_signal(&room.changed);
    pthread_mutex_unlock(&room.mutex);
    for (int woken = 0; woken == 0; sched_yield()) {
        pthread_mutex_lock(&room.mutex);
        woken = room.woken;
        pthread_mutex_unlock(&room.mutex);
    }
    pause_for(20);
    pthread_mutex_lock(&room.mutex);
    EXPECT(room.woken, 1);
    pthread_cond_broadcast(&room.changed);
    pthread_mutex_unlock(&room.mutex);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    EXPECT(room.woken, THREADS);
    EXPECT(pthread_cond_destroy(&room.changed), 0);
}

static void* wait_though_cancelled(void* argument) {
    struct timespec const deadline = in(CLOCK_REALTIME, 20);
    pthread_cancel(pthread_self());
    *(int*)argument = pthread_mutex_timedlock(&timed, &deadline); /* no cancellation point */
    pthread_testcancel();
    return NULL;
}
static void cancellation(void) {
    int late_result = 0;
    pthread_mutex_lock(&timed);
    run_threads(1, &wait_though_cancelled, &late_result);
    EXPECT(late_result, ETIMEDOUT);
    pthread_mutex_unlock(&timed);
    pthread_t threads[3];
    start_waiters(threads, 3);
    void* result = NULL;
    pthread_cancel(threads[1]); /* in the middle of the queue */
    pthread_join(threads[1], &result);
    TRUE_(result == PTHREAD_CANCELED);
    EXPECT(room.woken, 1); /* with the mutex locked, and then not any more */
    pthread_mutex_lock(&room.mutex);
    room.may_go = 1;
    pthread_cond_broadcast(&room.changed);
    pthread_mutex_unlock(&room.mutex);
    pthread_join(threads[0], NULL);
    pthread_join(threads[2], NULL);
    EXPECT(room.woken, 3);
    EXPECT(pthread_cond_destroy(&room.changed), 0);
}

int old_init(pthread_cond_t*, pthread_condattr_t const*);
int old_destroy(pthread_cond_t*);
int old_wait(pthread_cond_t*, pthread_mutex_t*);
int old_timedwait(pthread_cond_t*, pthread_mutex_t*, struct timespec const*);
int old_signal(pthread_cond_t*);
int old_broadcast(pthread_cond_t*);
__asm__(".symver old_init, pthread_cond_init@GLIBC_2.2.5\n"
        ".symver old_destroy, pthread_cond_destroy@GLIBC_2.2.5\n"
        ".symver old_wait, pthread_cond_wait@GLIBC_2.2.5\n"
        ".symver old_timedwait, pthread_cond_timedwait@GLIBC_2.2.5\n"
        ".symver old_signal, pthread_cond_signal@GLIBC_2.2.5\n"
        ".symver old_broadcast, pthread_cond_broadcast@GLIBC_2.2.5");
static int old_wait_by_time(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    struct timespec const deadline = in(CLOCK_REALTIME, 20000);
    return old_timedwait(condition, mutex, &deadline);
}
static void old_conditions(void) {
    pthread_cond_t fresh; /* of which eight bytes are the condition variable's */
    memset(&fresh, 0xff, sizeof(fresh));
    EXPECT(old_init(&fresh, NULL), 0);
    check_turns(&old_wait, &old_signal, &fresh, PTHREAD_MUTEX_NORMAL);
    check_turns(&old_wait_by_time, &old_broadcast, &fresh, PTHREAD_MUTEX_NORMAL);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct timespec const deadline = in(CLOCK_REALTIME, 20);
    pthread_mutex_lock(&mutex);
    EXPECT(old_timedwait(&fresh, &mutex, &deadline), ETIMEDOUT);
    EXPECT(pthread_mutex_unlock(&mutex), 0);
    EXPECT(old_destroy(&fresh), 0);
    EXPECT(((unsigned char*)&fresh)[8], 0xff);
}

static mtx_t c11_mutex;
static cnd_t c11_condition;
static int c11_count;
static int count_c11(void* argument) {
    (void)argument;
    for (int i = 0; i < 1000; ++i) {
        EXPECT(mtx_lock(&c11_mutex), thrd_success);
        int const before = c11_count;
        if (i % 64 == 0) thrd_yield();
        c11_count = before + 1;
        EXPECT(cnd_signal(&c11_condition), thrd_success);
        EXPECT(mtx_unlock(&c11_mutex), thrd_success);
    }
    return 7;
}
static void c11(void) {
    EXPECT(mtx_init(&c11_mutex, mtx_timed), thrd_success);
    EXPECT(cnd_init(&c11_condition), thrd_success);
    EXPECT(mtx_lock(&c11_mutex), thrd_success);
    thrd_t threads[2];
    for (int i = 0; i < 2; ++i) thrd_create(&threads[i], &count_c11, NULL);
    EXPECT(by_another(&pthread_mutex_trylock, (pthread_mutex_t*)&c11_mutex), EBUSY);
    struct timespec deadline = in(CLOCK_REALTIME, 20000);
    while (c11_count < 100) EXPECT(cnd_timedwait(&c11_condition, &c11_mutex, &deadline), thrd_success);
    while (c11_count < 2000) EXPECT(cnd_wait(&c11_condition, &c11_mutex), thrd_success);
    deadline = in(CLOCK_REALTIME, 5);
    EXPECT(cnd_timedwait(&c11_condition, &c11_mutex, &deadline), thrd_timedout);
    EXPECT(mtx_trylock(&c11_mutex), thrd_busy);
    EXPECT(mtx_timedlock(&c11_mutex, &deadline), thrd_timedout);
    EXPECT(cnd_broadcast(&c11_condition), thrd_success);
    EXPECT(mtx_unlock(&c11_mutex), thrd_success);
    for (int i = 0; i < 2; ++i) {
        int result = 0;
        thrd_join(threads[i], &result);
        EXPECT(result, 7);
    }
    mtx_destroy(&c11_mutex);
    cnd_destroy(&c11_condition);
    EXPECT(mtx_init(&c11_mutex, mtx_plain | mtx_recursive), thrd_success);
    EXPECT(mtx_lock(&c11_mutex), thrd_success);
    EXPECT(mtx_lock(&c11_mutex), thrd_success);
    EXPECT(mtx_unlock(&c11_mutex), thrd_success);
    EXPECT(mtx_unlock(&c11_mutex), thrd_success);
    EXPECT(mtx_unlock(&c11_mutex), thrd_error);
}

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, others = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t others_again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static volatile int others_held;
static void* hold_forever(void* argument) {
    pthread_mutex_lock(&others);
    pthread_mutex_lock(&others_again);
    others_held = 1;
    while (others_held) pause_for(1);
    pthread_mutex_unlock(&others_again);
    pthread_mutex_unlock(&others);
    return argument;
}
static void* try_others_again(void* argument) {
    EXPECT(pthread_mutex_trylock(&others_again), EBUSY);
    pause_for(20); /* all at once */
    return argument;
}
static void* queue_for_mine(void* argument) {
    pthread_mutex_lock(&mine);
    pthread_mutex_unlock(&mine);
    return argument;
}
static void forked(void) {
    EXPECT(pthread_mutex_lock(&mine), 0);
    EXPECT(pthread_mutex_lock(&again), 0);
    EXPECT(pthread_mutex_lock(&again), 0);
    pthread_t waiters[3], queued[2], holder;
    start_waiters(waiters, 3); /* of a condition variable */
    for (int i = 0; i < 2; ++i) pthread_create(&queued[i], NULL, &queue_for_mine, NULL);
    pthread_create(&holder, NULL, &hold_forever, NULL);
    while (!others_held) sched_yield();
    pause_for(5); /* they queue, or not: both are legal */
    pid_t const child = fork();
    if (child == 0) {
        alarm(20);
        EXPECT(by_another(&pthread_mutex_trylock, &mine), EBUSY);
        EXPECT(pthread_mutex_unlock(&mine), 0);
        for (int i = 0; i < 3; ++i) { /* those who were before in the queue are not here */
            run_threads(2, &queue_for_mine, NULL);
            EXPECT(pthread_mutex_trylock(&mine), 0);
            EXPECT(pthread_mutex_unlock(&mine), 0);
        }
        EXPECT(pthread_mutex_unlock(&again), 0);
        EXPECT(by_another(&pthread_mutex_trylock, &again), EBUSY);
        EXPECT(pthread_mutex_unlock(&again), 0);
        EXPECT(by_another(&pthread_mutex_trylock, &again), 0);
        EXPECT(pthread_mutex_trylock(&others), EBUSY); /* as POSIX has it */
        run_threads(8, &try_others_again, NULL); /* one of them gets the stack of the thread that had it */
        pthread_mutex_init(&others, NULL);             /* as many programs do then */
        EXPECT(pthread_mutex_trylock(&others), 0);
        pthread_t own[2];
        start_waiters(own, 2); /* behind none of the parent's */
        pthread_mutex_lock(&room.mutex);
        room.may_go = 1;
        pthread_cond_signal(&room.changed);
        pthread_cond_signal(&room.changed);
        pthread_mutex_unlock(&room.mutex);
        for (int i = 0; i < 2; ++i) pthread_join(own[i], NULL);
        exclusion();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT(status, 0);
    others_held = 0;
    EXPECT(pthread_mutex_unlock(&mine), 0);
    pthread_mutex_lock(&room.mutex);
    room.may_go = 1;
    pthread_cond_broadcast(&room.changed);
    pthread_mutex_unlock(&room.mutex);
    for (int i = 0; i < 3; ++i) pthread_join(waiters[i], NULL);
    for (int i = 0; i < 2; ++i) pthread_join(queued[i], NULL);
    pthread_join(holder, NULL);
}

/* Threads that end, and lock in their last moments; many locks at once, released in the order of their acquisition. */
static pthread_key_t last_key;
static void lock_at_end(void* rounds) {
    EXPECT(pthread_mutex_lock(&mine), 0);
    EXPECT(pthread_mutex_unlock(&mine), 0);
    if ((long)rounds > 1) pthread_setspecific(last_key, (void*)((long)rounds - 1));
}
static void* hold_many(void* argument) {
    enum { MANY = 40 };
    pthread_mutex_t many[MANY] = {PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < MANY; ++i) EXPECT(pthread_mutex_lock(&many[i]), 0);
    for (int i = 0; i < MANY; ++i) EXPECT(pthread_mutex_unlock(&many[i]), 0);
    pthread_setspecific(last_key, (void*)3);
    return argument;
}
static void thread_ends(void) {
    pthread_key_create(&last_key, &lock_at_end);
    for (int i = 0; i < 50; ++i) run_threads(THREADS, &hold_many, NULL);
}

static void unlocked_by_another(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    cpu_set_t all, last;
    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&last);
    for (int i = CPU_SETSIZE - 1; CPU_COUNT(&last) == 0; --i)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &last);
    sched_setaffinity(0, sizeof(last), &last); /* of another node than the first one, which new threads count to */
    for (int i = 0; i < 200; ++i) {
        EXPECT(pthread_mutex_lock(&mutex), 0);
        EXPECT(by_another(&pthread_mutex_unlock, &mutex), 0);
    }
    EXPECT(pthread_mutex_trylock(&mutex), 0);
}

/* What the report has to say: 300 acquisitions, 100 of them by waits, of which 10 or more found it held. */
pthread_mutex_t reported = PTHREAD_MUTEX_INITIALIZER;
static void* lock_reported(void* argument) {
    for (int i = 0; i < 90; ++i) {
        pthread_mutex_lock(&reported);
        pthread_mutex_unlock(&reported);
    }
    return argument;
}
static volatile int wants;
static void* lock_behind(void* argument) {
    wants = 1;
    pthread_mutex_lock(&reported);
    pthread_mutex_unlock(&reported);
    return argument;
}
static void report(void) {
    for (int i = 0; i < 200; ++i) { /* one after the other */
        pthread_mutex_lock(&reported);
        pthread_mutex_unlock(&reported);
    }
    run_threads(1, &lock_reported, NULL);
    for (int i = 0; i < 5; ++i) {
        pthread_t behind;
        pthread_mutex_lock(&reported);
        wants = 0;
        pthread_create(&behind, NULL, &lock_behind, NULL);
        while (!wants) sched_yield();
        pause_for(10);
        pthread_mutex_unlock(&reported);
        pthread_join(behind, NULL);
    }
    pthread_mutex_t* const nameless = malloc(sizeof(pthread_mutex_t));
    pthread_mutex_init(nameless, NULL);
    pthread_mutex_lock(nameless);
    pthread_mutex_unlock(nameless);
    pthread_mutex_destroy(nameless);
}

static struct {
    char const* name;
    void (*run)(void);
} const cases[] = {{"before_main", &before_main},
                   {"not_glibc", &not_glibc},
                   {"glibc_itself", &glibc_itself},
                   {"types", &types},
                   {"deadlines", &deadlines},
                   {"exclusion", &exclusion},
                   {"made_again", &made_again},
                   {"passed_through", &passed_through},
                   {"conditions", &conditions},
                   {"cancellation", &cancellation},
                   {"old_conditions", &old_conditions},
                   {"c11", &c11},
                   {"forked", &forked},
                   {"thread_ends", &thread_ends},
                   {"unlocked_by_another", &unlocked_by_another},
                   {"report", &report}};

int main(int argc, char** argv) {
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        if (argc != 2 || strcmp(argv[1], cases[i].name) != 0) continue;
        cases[i].run();
        return 0;
    }
    fprintf(stderr, "expected a case\n");
    return 2;
}
