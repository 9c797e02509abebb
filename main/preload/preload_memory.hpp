// Memory of libmxk-locks.so. Not the program's heap, which may itself use mutexes.
#pragma once

#include <cstddef>

#include "base/units.hpp"
#include "locks/algorithm.hpp"
#include "locks/tts_lock.hpp"

namespace mxk::preload {

// What guards the library's own data, for some instructions.
struct InnerLock : locks::KernelLock<locks::Tts<locks::Smp>> {
    constexpr InnerLock() = default;
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
