// What a room wants called at the safe point of a core once a bit of its attention word is set (arch/attention.hpp).
// Any number of them on one core, also for one bit: they are called in the order in which they were added.
#pragma once

#include <cstdint>

#include "arch/attention.hpp"
#include "base/linked_list.hpp"

namespace mxk {

class Worker;

// Lives as long as it is on a worker (Worker::add_hook()).
class AttentionHook {
  public:
    using Function = void (*)(Worker& worker, AttentionHook& hook);

    // `function`: between two tasks, or in the place of one that waits (Worker::run_until()); never blocks. It may take
    // its own hook off, no other.
    constexpr AttentionHook(arch::Attention what, Function function)
        : what_(what)
        , function_(function) {}
    AttentionHook(AttentionHook const&) = delete;
    AttentionHook& operator=(AttentionHook const&) = delete;

  private:
    friend class Worker;
    arch::Attention what_;
    Function function_;
    ListLinks<AttentionHook> links_{};
};

} // namespace mxk
