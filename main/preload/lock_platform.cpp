// What the suite's locks need from below, made of nothing but the C library: in libmxk-locks.so there is no kernel, no
// core and no heap of MXK. In place of arch/linux/, kernel/ and locks/fabric/lock_records.cpp.
#include <pthread.h>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <new>
#include <source_location>
#include <string_view>
#include <utility>

#include "arch/core_local.hpp"
#include "arch/cpu.hpp"
#include "arch/lock_user.hpp"
#include "arch/sections.hpp"
#include "base/panic.hpp"
#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/memory.hpp"
#include "locks/fabric/lock_records.hpp"
#include "main/preload/preload_memory.hpp"

namespace mxk {

void die(std::string_view message, std::source_location /*where*/) {
    iovec parts[] = {{.iov_base = const_cast<char*>("mxk-locks: "), .iov_len = 11},
                     {.iov_base = const_cast<char*>(message.data()), .iov_len = message.size()},
                     {.iov_base = const_cast<char*>("\n"), .iov_len = 1}};
    [[maybe_unused]] ssize_t const written = writev(STDERR_FILENO, parts, 3);
    std::abort();
}

void no_value(Error const& /*error*/) {
    die("a result had no value", std::source_location::current());
}

void offer_processor() {
    sched_yield();
}

namespace arch {

thread_local constinit CoreLocal* this_core = nullptr;
thread_local constinit SectionReader section_reader{};
thread_local constinit LockUser this_lock_user;

void no_core() {
    die("a lock asked for a core", std::source_location::current());
}

} // namespace arch

namespace clock {
namespace {

// The two clocks at the same moment, as far as it can be had: the shortest of some looks.
struct Moment {
    double nanoseconds = 0;
    std::uint64_t ticks = 0;

    static Moment now() {
        Moment best;
        std::uint64_t shortest = UINT64_MAX;
        for (int i = 0; i < 5; ++i) {
            std::uint64_t const before = raw(timestamp());
            timespec time{};
            clock_gettime(CLOCK_MONOTONIC, &time);
            std::uint64_t const after = raw(timestamp());
            if (after - before >= shortest) continue;
            shortest = after - before;
            best = {static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec), after};
        }
        return best;
    }
};

} // namespace

// For back-off. How fast the counter ticks is measured once, for a tenth of a millisecond.
Nanoseconds to_nanoseconds(Cycles cycles) {
    static constinit std::atomic<double> known{0};
    double factor = known.load(std::memory_order_relaxed);
    if (factor == 0) {
        Moment const begin = Moment::now();
        Moment end = begin;
        while (end.nanoseconds < begin.nanoseconds + 1e5) end = Moment::now();
        factor = (end.nanoseconds - begin.nanoseconds) / static_cast<double>(end.ticks - begin.ticks);
        known.store(factor, std::memory_order_relaxed);
    }
    return static_cast<Nanoseconds>(static_cast<double>(raw(cycles)) * factor);
}

} // namespace clock

namespace memory {

Result<Block> allocate(std::size_t bytes, std::size_t /*alignment*/, NodeId node) {
    return Block{static_cast<std::byte*>(preload::take_memory(bytes, node)), bytes, node};
}
void free(Block const& block) {
    preload::give_memory(block.address, block.bytes, block.node);
}

} // namespace memory

namespace locks {
namespace {

constexpr std::size_t at_once = 4; // nested locks; a thread that needs more asks again

constinit pthread_key_t end_key = 0;

void leave_spare_lines(LockUser& user, std::uint32_t left) {
    for (; user.spares > left; --user.spares)
        preload::give_memory(std::exchange(user.spare, user.spare->next), sizeof(LockLine));
}

void end_thread(void* user) {
    auto& ended = *static_cast<LockUser*>(user);
    ended.is_kept = false; // another destructor may lock again behind this one: then this is called again
    // Another thread may still poll the word: the next owner of a Hemlock that was handed on.
    for (SpinWait wait; ended.grant.load(std::memory_order_acquire) != 0;) wait.turn();
    leave_spare_lines(ended, 0);
}

} // namespace

void find_spare_lines() {
    for (std::size_t i = 0; i < at_once; ++i) give_line(new (preload::take_memory(sizeof(LockLine))) LockLine{nullptr});
    keep_user();
}

void give_spare_lines() {
    leave_spare_lines(arch::lock_user(), max_spare_lines / 2);
}

void keep_new_user() {
    LockUser& user = arch::lock_user();
    user.is_kept = true;
    pthread_setspecific(end_key, &user);
}

} // namespace locks

void preload::prepare_for_threads() {
    if (pthread_key_create(&locks::end_key, &locks::end_thread) != 0)
        die("no key is left for what a thread keeps", std::source_location::current());
}

} // namespace mxk
