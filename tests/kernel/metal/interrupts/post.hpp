// An interrupt handler that posts a semaphore.
#pragma once

#include <atomic>
#include <cstdint>

#include "tasks/threads/semaphore.hpp"

namespace mxk {

extern constinit Semaphore* posted_by_interrupt;
extern constinit std::atomic<std::uint64_t> posts_by_interrupts;
void post_in_interrupt();

} // namespace mxk
