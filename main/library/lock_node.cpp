#include "main/library/lock_node.hpp"

#include <utility>

namespace mxk::locks {

thread_local constinit LockLine* spare_lock_nodes = nullptr;

namespace {

// Beside the list, which would be slower to reach if it had a destructor.
struct ThreadEnd {
    ThreadEnd() = default;
    ThreadEnd(ThreadEnd const&) = delete;
    ThreadEnd& operator=(ThreadEnd const&) = delete;
    ~ThreadEnd() {
        while (spare_lock_nodes != nullptr) delete std::exchange(spare_lock_nodes, spare_lock_nodes->next);
    }
};

} // namespace

void* make_lock_node() {
    thread_local ThreadEnd const end;
    static_cast<void>(end);
    return new LockLine{nullptr};
}

} // namespace mxk::locks
