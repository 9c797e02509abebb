// What is known of a thread in both builds; each backend derives its own from it. And the list of all of them.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/linked_list.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/threads/wait_observer.hpp"

namespace mxk {

enum class ThreadState : std::uint8_t { Ready, Running, Waiting, Sleeping, Ended };

struct ThreadRecord {
    ThreadRecord(ThreadOptions const& options, Thread::Entry its_entry, void* its_argument)
        : name(options.name)
        , core(options.core)
        , slice(options.slice)
        , entry(its_entry)
        , argument(its_argument) {}
    ThreadRecord(ThreadRecord const&) = delete;
    ThreadRecord& operator=(ThreadRecord const&) = delete;

    std::uint32_t id = 0; // what a person types who means it; from 1 on, never used again
    FixedText<31> name;
    CoreId core;
    Nanoseconds slice;
    Thread::Entry entry;
    void* argument;
    WaitObserver* wait_observer = nullptr; // told of its waits; set by the thread itself, while it waits for nothing
    // Null; a task of the joiner, to be sent home when the thread has ended; or one of thread.cpp's marks.
    std::atomic<Task*> joiner{nullptr};
    ListLinks<ThreadRecord> links{}; // thread_list's
    // kill.hpp. relaxed, both: flags alone. The thread allows it; somebody wants its end.
    std::atomic<bool> is_killable{false};
    std::atomic<bool> end_is_wanted{false};
    // While it is not 0 the thread does not end: what it does or has must not be left as it is. The thread itself, and
    // its core while it does not run.
    std::uint32_t end_holds = 0;

    // Whether it is to end at a point where it may.
    [[nodiscard]] bool ends_here() const {
        return end_is_wanted.load(std::memory_order_relaxed) && is_killable.load(std::memory_order_relaxed) &&
               end_holds == 0;
    }
};

// What a thread has had so far.
struct ThreadUse {
    ThreadState state{};
    Nanoseconds run_time{};
    std::uint64_t switches = 0;    // times that it gave the core away by itself
    std::uint64_t preemptions = 0; // times that it lost the core to another one
};

// All threads that have not been reclaimed. Any core; blocks for a lock.
namespace thread_list {

void add(ThreadRecord& record);
void remove(ThreadRecord& record);
// Calls visit(record, context) for each, in the order of their making, while nobody can be added or removed.
void for_each(void (*visit)(ThreadRecord const&, void* context), void* context);
// Calls visit(record, context) for the thread with that id, in the same way. False: there is none.
bool visit_one(std::uint32_t id, void (*visit)(ThreadRecord&, void* context), void* context);

} // namespace thread_list

// For thread_backend: the last act of a thread that has ended, when nothing of it is in use any more but its record,
// which may be gone afterwards. Whatever sends tasks may call it.
void thread_has_ended(ThreadRecord& record);

} // namespace mxk
