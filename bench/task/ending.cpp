#include "bench/task/ending.hpp"

namespace mxk::bench {

Result<void> Ending::await(Progress& progress) {
    Worker::current().run_until([&] {
        if (progress.interrupted()) wanted_.store(true, std::memory_order_relaxed);
        return arrived_;
    });
    if (progress.interrupted()) return Error("interrupted by Ctrl-C");
    return {};
}

} // namespace mxk::bench
