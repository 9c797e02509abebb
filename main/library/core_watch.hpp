// What a Runtime with RuntimeOptions::warn_after has: a thread that looks at the cores from time to time, and names in
// a WARN each task that holds its core for longer. It reads what workers count anyway, so tasks cost what they do
// without it: a core that has counted nothing since the last look, does not sleep, and does not answer either when it
// is told to look up, is where it was.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

#include "base/units.hpp"

namespace mxk {

class CoreWatch {
  public:
    // Once all cores run. Looks four times in `limit`, on the processors that `affinity` says.
    CoreWatch(Nanoseconds limit, cpu_set_t const& affinity);
    CoreWatch(CoreWatch const&) = delete;
    CoreWatch& operator=(CoreWatch const&) = delete;
    // While all cores run.
    ~CoreWatch();

  private:
    // A core as it was at the last look, and since when.
    struct Seen {
        std::uint64_t tasks = 0;
        std::uint64_t idle = 0;
        std::uint64_t other_work = 0;
        Nanoseconds since{};
        bool is_called = false; // it was told to look up
        bool is_reported = false;
    };
    void watch();
    void look(Nanoseconds now);
    void look_at(CoreId core, Seen& seen, Nanoseconds now);

    Nanoseconds limit_;
    Nanoseconds period_;
    Nanoseconds last_look_;
    std::vector<Seen> cores_;
    std::mutex mutex_; // is_ending_
    std::condition_variable ending_;
    bool is_ending_ = false;
    std::thread thread_;
};

} // namespace mxk
