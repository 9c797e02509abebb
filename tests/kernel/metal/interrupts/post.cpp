#include "tests/kernel/metal/interrupts/post.hpp"

namespace mxk {

constinit Semaphore* posted_by_interrupt = nullptr;
constinit std::atomic<std::uint64_t> posts_by_interrupts{0};

void post_in_interrupt() {
    posts_by_interrupts.fetch_add(1, std::memory_order_relaxed);
    posted_by_interrupt->post_from_interrupt();
}

} // namespace mxk
