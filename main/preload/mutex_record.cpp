#include "main/preload/mutex_record.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <source_location>

#include "base/panic.hpp"
#include "base/splitmix.hpp"
#include "main/preload/preload_memory.hpp"

namespace mxk::preload {

constinit RecordRange records;

namespace {

constexpr std::size_t buckets = std::size_t{1} << 16;
constexpr std::size_t locks_of_buckets = 64;
constexpr std::size_t max_reserved = std::size_t{1} << 34;
constexpr std::size_t committed_at_once = std::size_t{1} << 18;
constexpr std::size_t max_reported = 4096; // some 16 KiB each

constinit std::array<MutexRecord*, buckets> first_in{};
constinit std::array<InnerLock, locks_of_buckets> bucket_locks{};
constinit InnerLock new_lock; // of all below
constinit InnerLock::Node any_node{};
constinit MutexRecord* unused = nullptr;
constinit std::size_t committed = 0;
constinit std::size_t reserved = 0;
constinit std::size_t reported = 0;
constinit bool has_report = false;
constinit ConstructLock construct_lock = nullptr;

std::size_t bucket_of(pthread_mutex_t const* mutex) {
    return splitmix(reinterpret_cast<std::uintptr_t>(mutex)) % buckets;
}

MutexRecord& take_record() {
    InnerGuard const guard(new_lock);
    if (unused != nullptr) return *std::exchange(unused, unused->next);
    std::size_t const at = records.bytes.load(std::memory_order_relaxed);
    if (at + records.stride > committed) {
        if (committed + committed_at_once > reserved)
            die("out of memory: no room for another mutex", std::source_location::current());
        commit(records.first + committed, committed_at_once);
        committed += committed_at_once;
    }
    auto* const record = new (static_cast<void*>(records.first + at)) MutexRecord;
    construct_lock(*record);
    if (has_report && reported < max_reported) {
        ++reported;
        record->statistics = new (take_memory(sizeof(MutexStatistics))) MutexStatistics;
    }
    records.bytes.store(at + records.stride, std::memory_order_release);
    return *record;
}

} // namespace

std::uintptr_t number_of_new_thread() {
    static constinit std::atomic<std::uintptr_t> threads{0};
    return threads.fetch_add(1, std::memory_order_relaxed) + 1;
}

void prepare_records(std::size_t lock_bytes, ConstructLock construct, bool reports) {
    construct_lock = construct;
    has_report = reports;
    records.stride = sizeof(MutexRecord) + (lock_bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    // No more than a small part of what the program may have.
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    std::size_t const allowed = std::bit_floor(std::max<std::size_t>(limit.rlim_cur / 16, committed_at_once));
    for (reserved = std::min(max_reserved, allowed); (records.first = reserve(reserved)) == nullptr; reserved /= 2)
        if (reserved <= committed_at_once)
            die("out of memory: no room for the locks of mutexes", std::source_location::current());
}

MutexRecord& find_record(pthread_mutex_t* mutex, void const* caller) {
    std::size_t const bucket = bucket_of(mutex);
    InnerGuard const guard(bucket_locks[bucket % locks_of_buckets]);
    if (MutexRecord* const known = known_record(mutex)) return *known; // another thread was faster
    MutexRecord* record = first_in[bucket];
    while (record != nullptr && record->mutex.load(std::memory_order_relaxed) != mutex) record = record->next;
    if (record == nullptr) {
        record = &take_record();
        record->mutex.store(mutex, std::memory_order_relaxed);
        record->next = std::exchange(first_in[bucket], record);
        record->first_caller = caller;
    } else if (record->owner.load(std::memory_order_relaxed) != nullptr) {
        // Made again while it was held. What it held is lost: a line of memory.
        record->owner.store(nullptr, std::memory_order_relaxed);
        construct_lock(*record);
    }
    record->depth = 0;
    record_in(mutex).store(record, std::memory_order_release); // pairs with known_record()
    return *record;
}

void forget_record(pthread_mutex_t* mutex) {
    MutexRecord* const record = known_record(mutex);
    if (record == nullptr || has_report) return;
    std::size_t const bucket = bucket_of(mutex);
    {
        InnerGuard const guard(bucket_locks[bucket % locks_of_buckets]);
        MutexRecord** at = &first_in[bucket];
        while (*at != record) at = &(*at)->next;
        *at = record->next;
        record->mutex.store(nullptr, std::memory_order_relaxed);
        record_in(mutex).store(nullptr, std::memory_order_relaxed);
    }
    InnerGuard const guard(new_lock);
    record->next = std::exchange(unused, record);
}

void hold_records() {
    for (InnerLock& lock : bucket_locks) lock.lock(any_node);
    new_lock.lock(any_node);
    hold_memory();
}
void release_records() {
    release_memory();
    new_lock.unlock(any_node);
    for (InnerLock& lock : bucket_locks) lock.unlock(any_node);
}

} // namespace mxk::preload
