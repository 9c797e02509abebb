// Requests of which a number is under way at any time: the end of one submits the next.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/format.hpp"
#include "bench/dataflow/graph_boxes.hpp"
#include "bench/frame/grid.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/values.hpp"

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

// A query whose end submits the next one of its stream.
struct StreamedQuery : GraphQuery {
    struct Stream {
        dataflow::Scheduler& scheduler;
        std::span<StreamedQuery> queries;
        std::atomic<std::size_t> next;
        void submit_next() {
            std::size_t const place = next.fetch_add(1, std::memory_order_relaxed);
            if (place < queries.size()) scheduler.submit(queries[place]);
        }
    };
    StreamedQuery(dataflow::Model const& model, GraphShape const& its_shape)
        : GraphQuery(model, its_shape, [](dataflow::CoreScheduler& /*here*/, Query& query) {
            static_cast<StreamedQuery&>(query).stream->submit_next();
        }) {}
    Stream* stream = nullptr;
};

// Runs all of `queries`, up to `at_once` of them at a time, in their order. Errors: cancelled. The console's task.
inline Result<void> run_stream(dataflow::Scheduler& scheduler, std::span<StreamedQuery> queries, std::size_t at_once,
                               Progress const& progress) {
    StreamedQuery::Stream stream{scheduler, queries, 0};
    for (StreamedQuery& query : queries) query.stream = &stream;
    for (std::size_t i = std::min(at_once, queries.size()); i > 0; --i) stream.submit_next();
    return wait_for_all(queries, progress);
}

} // namespace mxk::bench
