// When all cores sleep, none of the simulator's code runs on the thread that runs them. This thread looks after time
// then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace mxk::simulator {

class IdleThread {
  public:
    enum class Next : std::uint8_t { Soon, Later };

    /// work: takes the big lock, looks whether all sleep, and does what is to be done. When told to, again as long as
    /// it says Soon, and from time to time.
    explicit IdleThread(std::function<Next()> work);

    /// There may be work to do. Any thread.
    void tell();

  private:
    void run();

    static constexpr std::chrono::milliseconds pause_between{20};

    std::function<Next()> work_;
    std::mutex mutex_;
    std::condition_variable condition_;
    bool told_ = false;
};

} // namespace mxk::simulator
