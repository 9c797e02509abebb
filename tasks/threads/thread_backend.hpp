// The seam of the thread layer: who runs threads. mxos/ does so on the cores' queues (metal), posix/ lets the system do
// it (the Linux build). Both have these functions and thread_backend/semaphore.hpp; the build chooses one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "tasks/threads/thread_record.hpp"

namespace mxk::thread_backend {

// Makes a worker fit for threads. On its core, before it runs anything.
void attach(Worker& worker);

// A thread that waits for start(); `options` have been checked. Errors: no memory, no thread to be had.
Result<ThreadRecord*> create(ThreadOptions const& options, Thread::Entry entry, void* argument);
// It may run, and be gone, from here on.
void start(ThreadRecord& record);
// Gives back the memory of one that has ended (thread_has_ended()).
void reclaim(ThreadRecord& record);

// Null in a task.
ThreadRecord* current();

// Those of this_thread and send_task().
void yield();
void sleep_for(Nanoseconds time);
[[noreturn]] void exit();
void send(Task& task, CoreId target);

// What the thread runs whose turn this task is; null: it is no thread's. Its core.
Thread::Entry entry_of(Task const& task);
// The same of a task that may be gone meanwhile. Any core; blocks for thread_list's lock.
Thread::Entry entry_of_listed(Task const* task);

// For kill.hpp and trace.hpp: between two tasks of its core, with thread_list locked, so that it neither runs there nor
// is reclaimed. It is to end: if it waits or sleeps where it may end, it waits no more.
void want_end(ThreadRecord& record);
// An address in each function that it is in, the last call first; how many. Errors: it does not answer (Linux).
Result<std::size_t> trace(ThreadRecord& record, std::span<std::uintptr_t> addresses);

// Any core.
ThreadUse use_of(ThreadRecord const& record);
// The names of the core's threads that are in read sections which a grace period waits for, with commas between, as far
// as can be seen. How many there are. Blocks for a lock.
std::size_t write_awaited_readers(TextSink& out, CoreId core);

} // namespace mxk::thread_backend
