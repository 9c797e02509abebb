// What is kept for a mutex beside its 40 bytes: the lock of the suite, and who has it. Found by a pointer in bytes that
// glibc uses for robust mutexes and those with a priority protocol only, or else by the mutex' address:
//
//     mutex->__data.__list.__prev -> record, record->mutex == mutex: it is this one's
//     anything else (zeros of an initialiser, a copy of another mutex): the first to use it finds or makes the record
//
// A record is never unmapped, and what becomes another mutex' keeps its lock as it is: a thread that has just handed it
// on may still be in unlock().
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "main/preload/mutex_statistics.hpp"

namespace mxk::preload {

struct alignas(cache_line_bytes) MutexRecord {
    std::atomic<pthread_mutex_t*> mutex{nullptr}; // null: it is nobody's
    std::atomic<void const*> owner{nullptr};      // the thread that has it: this_thread()
    // The owner's.
    void* held = nullptr;                  // what the lock returned; null: the owner went past it (try_to_take())
    std::uint32_t depth = 0;               // how often a recursive one was locked again
    CoreId counted_as{};                   // by a lock for nodes
    MutexStatistics* statistics = nullptr; // null: there is no report, or it has enough mutexes
    MutexRecord* next = nullptr;           // of its bucket, or that is nobody's
    void const* first_caller = nullptr;

    void* lock() { return this + 1; }
};

// Stands for the calling thread, in a forked child, too, and for none that comes later.
std::uintptr_t number_of_new_thread();
inline void const* this_thread() {
    static thread_local constinit std::uintptr_t self = 0;
    if (self == 0) [[unlikely]]
        self = number_of_new_thread();
    return reinterpret_cast<void const*>(self); // NOLINT(performance-no-int-to-ptr): only compared
}

struct RecordRange {
    std::byte* first = nullptr;
    std::size_t stride = 0;
    std::atomic<std::size_t> bytes{0}; // of those that were ever in use
};
extern RecordRange records;

// `construct` makes a lock of so many bytes. Once.
using ConstructLock = void (*)(MutexRecord&);
void prepare_records(std::size_t lock_bytes, ConstructLock construct, bool reports);
// `caller`: in the program's code.
MutexRecord& find_record(pthread_mutex_t* mutex, void const* caller);

// Where the mutex has the pointer.
inline std::atomic<MutexRecord*>& record_in(pthread_mutex_t* mutex) {
    static_assert(offsetof(pthread_mutex_t, __data.__kind) == 16 && offsetof(pthread_mutex_t, __data.__list) == 24);
    static_assert(sizeof(std::atomic<MutexRecord*>) == sizeof(mutex->__data.__list.__prev));
    return *static_cast<std::atomic<MutexRecord*>*>(static_cast<void*>(&mutex->__data.__list.__prev));
}
// Null: the mutex has none yet.
inline MutexRecord* known_record(pthread_mutex_t* mutex) {
    // acquire: pairs with find_record()
    MutexRecord* const record = record_in(mutex).load(std::memory_order_acquire);
    auto const offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(record) - records.first);
    // Not a pointer of another process, whose memory this was.
    if (offset >= records.bytes.load(std::memory_order_relaxed)) [[unlikely]]
        return nullptr;
    return record->mutex.load(std::memory_order_relaxed) == mutex ? record : nullptr;
}
inline MutexRecord& record_of(pthread_mutex_t* mutex, void const* caller) {
    MutexRecord* const record = known_record(mutex);
    return record != nullptr ? *record : find_record(mutex, caller);
}
// The mutex is destroyed; with a report its figures stay.
void forget_record(pthread_mutex_t* mutex);

// All that were ever in use, while nobody makes one, or for a look.
template <typename Function> void each_record(Function function) {
    for (std::size_t at = 0; at < records.bytes.load(std::memory_order_acquire); at += records.stride)
        function(*reinterpret_cast<MutexRecord*>(records.first + at));
}

// While a process forks nobody makes or finds one.
void hold_records();
void release_records();

} // namespace mxk::preload
