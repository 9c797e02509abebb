// What a recording comes to, for people: functions by time, long tasks and idle times, sums for each core.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/timeline/timeline.hpp"

namespace mxk::timeline {

// Cycles, but for the counts. tasks + rounds + safe_points + idle is the span, as far as no record was lost.
struct CoreSums {
    std::uint64_t span = 0; // of what is left of it, if records were lost
    std::uint64_t task_count = 0;
    std::uint64_t tasks = 0; // without what ran inside of one that waited
    std::uint64_t rounds = 0;
    std::uint64_t safe_points = 0;
    std::uint64_t idle = 0;
    std::uint64_t idle_count = 0;
    std::uint64_t lost = 0; // records
};

struct FunctionSums {
    std::uint64_t function = 0;
    std::uint64_t count = 0; // 0: a free place
    std::uint64_t cycles = 0;
    std::uint64_t max = 0; // with what ran inside
};

struct MaxEvent {
    TimelineEvent event{};
    std::size_t core = 0;
};

// Of all events that are offered those with the largest durations, the largest first.
template <std::size_t capacity> class MaxEvents {
  public:
    void offer(TimelineEvent const& event, std::size_t core) {
        if (size_ == capacity && event.cycles() <= ones_[size_ - 1].event.cycles()) return;
        if (size_ < capacity) ++size_;
        std::size_t at = size_ - 1;
        for (; at > 0 && ones_[at - 1].event.cycles() < event.cycles(); --at) ones_[at] = ones_[at - 1];
        ones_[at] = {event, core};
    }
    [[nodiscard]] std::span<MaxEvent const> ones() const { return {ones_.data(), size_}; }

  private:
    std::array<MaxEvent, capacity> ones_{};
    std::size_t size_ = 0;
};

class Summary {
  public:
    // Errors: no memory.
    static Result<Summary> create(Recording const& recording);

    [[nodiscard]] std::span<CoreSums const> cores() const { return cores_.span(); }
    // By their time, the largest first; up to max_functions of them, and the tasks of the others.
    [[nodiscard]] std::span<FunctionSums const> functions() const { return functions_.span().first(function_count_); }
    [[nodiscard]] FunctionSums const& others() const { return others_; }
    [[nodiscard]] std::span<MaxEvent const> max_tasks() const { return max_tasks_.ones(); }
    [[nodiscard]] std::span<MaxEvent const> max_idle() const { return max_idle_.ones(); }

    static constexpr std::size_t max_functions = 1024;

  private:
    Summary() = default;
    void add(CoreTimeline const& core, std::size_t number);
    FunctionSums& of(std::uint64_t function);

    NodeVector<CoreSums> cores_;
    NodeVector<FunctionSums> functions_; // a hash table, until it is sorted
    std::size_t function_count_ = 0;
    FunctionSums others_;
    MaxEvents<10> max_tasks_;
    MaxEvents<5> max_idle_;
};

void print(TextSink& out, Recording const& recording, Summary const& summary, std::size_t rows);

} // namespace mxk::timeline
