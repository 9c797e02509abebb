#include "tools/simulator/plugin/idle_thread.hpp"

#include <thread>
#include <utility>

#include "tools/simulator/plugin/emulator.hpp"

namespace mxk::simulator {

IdleThread::IdleThread(std::function<Next()> work)
    : work_(std::move(work)) {
    std::thread([this] { run(); }).detach(); // until the process ends
}

void IdleThread::tell() {
    {
        std::scoped_lock const lock(mutex_);
        told_ = true;
    }
    condition_.notify_one();
}

void IdleThread::run() {
    rcu_register_thread();
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            condition_.wait_for(lock, pause_between, [this] { return told_; });
            told_ = false;
        }
        while (work_() == Next::Soon) std::this_thread::yield();
    }
}

} // namespace mxk::simulator
