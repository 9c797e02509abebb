// A thread's lines for nodes of locks that others refer to (locks.hpp): as many as it has held at once, given back to
// the program's heap when it ends; not what it takes later, in destructors of its own variables.
#pragma once

#include <cstddef>
#include <new>

#include "base/lock_user.hpp"

namespace mxk::locks {

extern thread_local constinit LockLine* spare_lock_nodes;

// Throws std::bad_alloc.
void* make_lock_node();

// One line of the calling thread's. Any thread.
inline void* take_lock_node() {
    LockLine* const node = spare_lock_nodes;
    if (node == nullptr) [[unlikely]]
        return make_lock_node();
    spare_lock_nodes = node->next;
    return node;
}
// What was in it is over.
inline void give_lock_node(void* node) {
    spare_lock_nodes = new (node) LockLine{spare_lock_nodes};
}

} // namespace mxk::locks
