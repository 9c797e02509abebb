#include "hashtable/shared/concurrent/piece_tasks.hpp"

#include <algorithm>

#include "kernel/topology/system_topology.hpp"

namespace mxk::concurrent {

Result<PieceTasks> PieceTasks::create() {
    PieceTasks result;
    result.parts_ = MXK_TRY(PerCore<Part>::create(system_topology().cores, [&] { return Part(result); }));
    return result;
}

void PieceTasks::begin(std::size_t count, std::size_t piece, Work work, void* context, Task& then) {
    Worker& here = Worker::current();
    // relaxed, both: the parts are sent behind this
    next_.store(0, std::memory_order_relaxed);
    left_.store(parts_.size(), std::memory_order_relaxed);
    count_ = count;
    piece_ = piece;
    work_ = work;
    context_ = context;
    then_ = &then;
    home_ = here.core();
    for (std::size_t at = 0; at < parts_.size(); ++at) {
        parts_[at].whole = this; // which may have been moved since it was made
        here.append(parts_[at], core_id(at));
    }
}

void PieceTasks::Part::do_next_piece(Worker& worker, Task& task) {
    PieceTasks& whole = *static_cast<Part&>(task).whole;
    // relaxed: each number comes once, whatever the order
    std::size_t const from = whole.next_.fetch_add(whole.piece_, std::memory_order_relaxed);
    if (from < whole.count_) {
        whole.work_(whole.context_, from, std::min(from + whole.piece_, whole.count_));
        return worker.append(task);
    }
    // acq_rel: the last one has what the others have done; the whole may be gone once it has sent that
    CoreId const home = whole.home_;
    if (whole.left_.fetch_sub(1, std::memory_order_acq_rel) == 1) worker.append(*whole.then_, home);
}

} // namespace mxk::concurrent
