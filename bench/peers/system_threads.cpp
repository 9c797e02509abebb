#include "bench/peers/system_threads.hpp"

#include <system_error>

#include "bench/peers/task_threads.hpp"

namespace mxk::bench {

Result<void> SystemCrew::start(CoreId core, std::function<void()> body) {
    threads_.emplace_back([this, core, body = std::move(body)] {
        try {
            pin_to_core(core);
        } catch (std::system_error const&) {
            failed_.store(true, std::memory_order_relaxed); // published by the next line
        }
        pinned_.fetch_add(1, std::memory_order_release);
        pinned_.notify_one();
        gate_.wait(Gate::Closed, std::memory_order_acquire);
        if (gate_.load(std::memory_order_acquire) == Gate::Open) body();
    });
    return {};
}

Result<void> SystemCrew::run_all() {
    for (std::size_t pinned = 0; pinned < threads_.size(); pinned = pinned_.load(std::memory_order_acquire))
        pinned_.wait(pinned, std::memory_order_acquire);
    bool const failed = failed_.load(std::memory_order_relaxed);
    open(failed ? Gate::GivenUp : Gate::Open);
    if (failed) return Error("expected to pin a thread to its core's processor, and the system refused");
    return {};
}

void SystemCrew::open(Gate gate) {
    gate_.store(gate, std::memory_order_release);
    gate_.notify_all();
    threads_.clear(); // joins
}

} // namespace mxk::bench
