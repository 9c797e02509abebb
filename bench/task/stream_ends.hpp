// The two ends of a stream of tasks, for `bench task` and its peers: how the sender may use tasks again of which it has
// a limited number, and how the receiver sees that none is lost, doubled or overtaken. What goes the other way is one
// word, written once per eighth of the tasks, so that the stream is what is measured.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::bench {

// What the sender writes into each task before it sends it.
struct StreamLabel {
    std::uint64_t number = 0; // from 0, never again the same
    bool announced = false;   // the receiver is to publish that it has come so far
};

// The receiver's; its core alone calls what is not const.
class alignas(cache_line_bytes) StreamReceiver {
  public:
    // A task of a stream that keeps its order runs.
    void take(StreamLabel const& label) {
        if (label.number != due_) ++wrong_;
        ++due_;
        if (label.announced) announce();
    }
    // One of a stream that promises no order: whichever it is, their number is known.
    void count() {
        ++due_;
        announce();
    }
    void complain() { ++wrong_; }

    // How many have run, as far as it was announced: what they were may be used again. Any core.
    [[nodiscard]] std::uint64_t ran() const { return ran_.load(std::memory_order_acquire); } // pairs with announce()
    // When the stream is over.
    [[nodiscard]] bool verified(std::uint64_t sent) const { return wrong_ == 0 && due_ == sent && ran() == sent; }

  private:
    // release: a sender that knows that a task has run may write it
    void announce() { ran_.store(due_, std::memory_order_release); }

    std::uint64_t due_ = 0; // the number of the task that must come next
    std::uint64_t wrong_ = 0;
    alignas(cache_line_bytes) std::atomic<std::uint64_t> ran_{0}; // its own line: the sender reads it
};

// The sender's.
class StreamSender {
  public:
    static constexpr std::uint64_t burst = 64; // tasks that are sent without a rest between

    // `pool`: of how many tasks the sender has the use, and so how many are under way up to.
    StreamSender(std::uint32_t pool, StreamReceiver const& receiver)
        : receiver_(receiver)
        , pool_(pool)
        , announced_every_(std::max(pool / 8, std::uint32_t{1}))
        , until_announced_(announced_every_) {}

    // How many to send from now on.
    void send_more(std::uint64_t tasks) { total_ += tasks; }
    // Not so many after all: one more up to.
    void stop() { total_ = std::min(total_, sent_ + 1); }

    // How many may be sent now, without a rest: up to `burst`. 0: the others have to run first.
    std::uint64_t room() {
        if (sent_ - ran_ == pool_ || sent_ == total_) ran_ = receiver_.ran();
        return std::min({burst, pool_ - (sent_ - ran_), total_ - sent_});
    }
    // Everything was sent and has run, as room() saw it.
    [[nodiscard]] bool finished() const { return ran_ == total_; }

    // Which task of the pool goes next, and with which label.
    [[nodiscard]] std::uint32_t place() const { return place_; }
    StreamLabel next() {
        place_ = place_ + 1 == pool_ ? 0 : place_ + 1;
        StreamLabel label{sent_++, --until_announced_ == 0 || sent_ == total_};
        if (until_announced_ == 0) until_announced_ = announced_every_;
        return label;
    }

  private:
    StreamReceiver const& receiver_;
    std::uint32_t pool_;
    std::uint32_t announced_every_;
    std::uint32_t until_announced_;
    std::uint32_t place_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t ran_ = 0; // that is known of
};

} // namespace mxk::bench
