#include "main/library/lock_node.hpp"

#include <utility>

namespace mxk::locks {

thread_local constinit SpareLockNodes spare_lock_nodes;

namespace {

// Beside the list, which would be slower to reach if it had a destructor.
struct ThreadEnd {
    ThreadEnd() = default;
    ThreadEnd(ThreadEnd const&) = delete;
    ThreadEnd& operator=(ThreadEnd const&) = delete;
    ~ThreadEnd() {
        SpareLockNodes& spare = spare_lock_nodes;
        for (; spare.first != nullptr; --spare.count) delete std::exchange(spare.first, spare.first->next);
    }
};

} // namespace

void* make_lock_node() {
    thread_local ThreadEnd const end;
    static_cast<void>(end);
    return new LockLine{nullptr};
}

} // namespace mxk::locks
