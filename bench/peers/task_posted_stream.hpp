// The stream of bench/task/task_stream.cpp for threads that take functions from others: the sender is a function that
// posts some tasks and then itself again.
#pragma once

#include <cstdint>
#include <latch>

#include "base/spin_wait.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/task/task_options.hpp"
#include "bench/task/task_stream_ends.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

// Ends: `again(body, self)` has the first thread call body(self), behind what was posted before; `send(receiver, place,
// label)` has the second one tell the receiver; `held()`: all of it ran where it had to.
template <typename Ends> class PostedStream {
  public:
    PostedStream(Ends& ends, TaskOptions const& options)
        : ends_(ends)
        , pool_(options.pool)
        , operations_(options.operations)
        , sender_(pool_, receiver_) {}

    // Any thread but the two; blocks.
    Result<Sample> run() {
        sender_.send_more(pool_);
        ends_.again(&PostedStream::send_some, this);
        done_.wait();
        return Sample{.value = static_cast<double>(raw(end_ - start_)) / static_cast<double>(operations_),
                      .operations = operations_,
                      .verified = receiver_.verified(pool_ + operations_) && ends_.held()};
    }

  private:
    static void send_some(void* stream) {
        auto& self = *static_cast<PostedStream*>(stream);
        std::uint64_t const room = self.sender_.room();
        for (std::uint64_t i = 0; i < room; ++i) {
            std::uint32_t const place = self.sender_.place();
            self.ends_.send(self.receiver_, place, self.sender_.next());
        }
        if (self.sender_.finished() && self.end_stage()) return;
        if (room > 0)
            self.wait_ = {};
        else
            self.wait_.turn();
        self.ends_.again(&PostedStream::send_some, stream);
    }

    // Whether that was the last one.
    bool end_stage() {
        Cycles const now = clock::timestamp();
        if (warm_) {
            end_ = now;
            done_.count_down();
            return true;
        }
        warm_ = true;
        start_ = now;
        sender_.send_more(operations_);
        return false;
    }

    Ends& ends_;
    std::uint32_t pool_;
    std::uint64_t operations_;
    StreamSender sender_;
    StreamReceiver receiver_;
    SpinWait wait_;
    bool warm_ = false; // the first stage is one round of the pool, which is not timed
    Cycles start_{};
    Cycles end_{};
    std::latch done_{1};
};

} // namespace mxk::bench
