// Requests of which a number is under way at any time: the end of one submits the next.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/format.hpp"
#include "bench/dataflow/waited.hpp"
#include "bench/frame/grid.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/values.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// As the thesis writes it: 16x4 are 64 requests, of which up to 4 are under way.
struct RequestPlan {
    std::uint32_t rounds = 1;
    std::uint32_t at_once = 1;
    [[nodiscard]] std::size_t requests() const { return std::size_t{rounds} * at_once; }
    void print(TextSink& out) const { format(out, "{}x{}", rounds, at_once); }
    void write(JsonWriter& json) const {
        json.field("rounds", rounds);
        json.field("at_once", at_once);
    }
};

class RequestPlans {
  public:
    static constexpr std::size_t capacity = 16;

    constexpr RequestPlans() = default;
    constexpr RequestPlans(std::initializer_list<RequestPlan> plans) {
        for (RequestPlan const& plan : plans) add(plan);
    }
    // False when the list is full.
    constexpr bool add(RequestPlan plan) {
        if (size_ == capacity) return false;
        plans_[size_++] = plan;
        return true;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] RequestPlan const& operator[](std::size_t at) const { return plans_[at]; }
    [[nodiscard]] std::uint32_t max_at_once() const {
        return std::ranges::max(std::span(plans_).first(size_), {}, &RequestPlan::at_once).at_once;
    }
    // Whose values the experiment prints, and writes.
    [[nodiscard]] Axis axis() const { return {.heading = "requests", .key = "requests", .width = 8, .size = size_}; }

  private:
    std::array<RequestPlan, capacity> plans_{};
    std::size_t size_ = 0;
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, RequestPlans& plans);
void print_value(TextSink& out, RequestPlans const& plans);
void describe_value(TextSink& out, RequestPlans const& plans);

// Runs all of `queries`, up to `at_once` of them at a time, in their order. Errors: cancelled. The console's task.
template <typename Queries>
Result<void> run_stream(dataflow::Scheduler& scheduler, Queries& queries, std::size_t at_once, Ends& ends,
                        Progress const& progress) {
    struct Stream {
        dataflow::Scheduler& scheduler;
        Queries& queries;
        std::atomic<std::size_t> next;

        static void submit_next(dataflow::CoreScheduler& /*here*/, WaitedQuery& /*query*/, void* context) {
            auto& self = *static_cast<Stream*>(context);
            std::size_t const next = self.next.fetch_add(1, std::memory_order_relaxed);
            if (next < self.queries.size()) self.scheduler.submit(self.queries[next]);
        }
    };
    std::size_t const first = std::min(at_once, queries.size());
    Stream stream{scheduler, queries, first};
    for (auto& query : queries) {
        query.before_end = &Stream::submit_next;
        query.context = &stream;
    }
    for (std::size_t i = 0; i < first; ++i) scheduler.submit(queries[i]);
    return wait_for_all(queries, ends, progress);
}

} // namespace mxk::bench
