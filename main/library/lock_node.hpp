// A thread's lines for nodes of locks that others refer to (locks.hpp): some of those that it has held, given back to
// the program's heap when it ends; not what it takes later, in destructors of its own variables.
#pragma once

#include <cstdint>
#include <new>

#include "base/lock_user.hpp"

namespace mxk::locks {

struct SpareLockNodes {
    LockLine* first = nullptr;
    std::uint32_t count = 0;
};
extern thread_local constinit SpareLockNodes spare_lock_nodes;
// Of more, the others go back at once: a thread that releases a lock gets those of who has left its queue.
constexpr std::uint32_t max_spare_lock_nodes = 64;

// Throws std::bad_alloc.
void* make_lock_node();

// One line of the calling thread's. Any thread.
inline void* take_lock_node() {
    SpareLockNodes& spare = spare_lock_nodes;
    LockLine* const node = spare.first;
    if (node == nullptr) [[unlikely]]
        return make_lock_node();
    spare.first = node->next;
    --spare.count;
    return node;
}
// What was in it is over.
inline void give_lock_node(void* node) {
    SpareLockNodes& spare = spare_lock_nodes;
    auto* const line = new (node) LockLine{spare.first};
    if (spare.count == max_spare_lock_nodes) [[unlikely]] {
        delete line;
        return;
    }
    spare.first = line;
    ++spare.count;
}

// So many can be taken without an exception. Throws std::bad_alloc.
inline void reserve_lock_nodes(std::uint32_t count) {
    while (spare_lock_nodes.count < count) give_lock_node(make_lock_node());
}

} // namespace mxk::locks
