// Memory of libmxk-locks.so. Not the program's heap, which may itself use mutexes.
#pragma once

#include <cerrno>
#include <cstddef>

#include "base/units.hpp"
#include "locks/algorithm.hpp"
#include "locks/tts_lock.hpp"

namespace mxk::preload {

// What guards the library's own data, for some instructions.
struct InnerLock : locks::KernelLock<locks::Tts<locks::Smp>> {
    constexpr InnerLock() = default;
};

// While a process forks nobody else is inside, and the thread that forks needs no guard: handlers of other libraries
// may run meanwhile.
extern thread_local constinit bool is_forking;
class InnerGuard {
  public:
    explicit InnerGuard(InnerLock& lock)
        : lock_(is_forking ? nullptr : &lock) {
        if (lock_ != nullptr) lock_->lock(node_);
    }
    InnerGuard(InnerGuard const&) = delete;
    InnerGuard& operator=(InnerGuard const&) = delete;
    ~InnerGuard() {
        if (lock_ != nullptr) lock_->unlock(node_);
    }

  private:
    InnerLock* lock_;
    InnerLock::Node node_{};
};

// The functions of POSIX threads return their errors, and leave errno as it is.
class KeptErrno {
  public:
    KeptErrno() = default;
    KeptErrno(KeptErrno const&) = delete;
    KeptErrno& operator=(KeptErrno const&) = delete;
    ~KeptErrno() { errno = kept_; }

  private:
    int kept_ = errno;
};

// At an address that is a multiple of a cache line; nothing in it but zeros if it was never given back. Ends the
// program where there is no memory. Any thread.
void* take_memory(std::size_t bytes, NodeId node = NodeId{});
// With what take_memory() was asked for.
void give_memory(void* memory, std::size_t bytes, NodeId node = NodeId{});

// Address space without memory, page by page; null: there is none.
std::byte* reserve(std::size_t bytes);
// A part of it in whole pages gets memory.
void commit(std::byte* begin, std::size_t bytes);

// Before any of the suite's locks is taken (lock_platform.cpp). Once.
void prepare_for_threads();

// While a process forks nobody is inside.
void hold_memory();
void release_memory();

} // namespace mxk::preload
