// A request that is a graph of boxes: an instance of a model (model.hpp), built on the core that begins it and taken
// apart on the core where its last box ends, with all envelopes that are left.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "tasks/dataflow/request.hpp"

namespace mxk::dataflow {

class Box;
class Edge;
class Model;

class Query : public Request {
  public:
    // On the core where it ends, when all its memory has been given back; the query may be destroyed. Its result is
    // where its boxes have put it.
    using Ended = void (*)(CoreScheduler& here, Query& query);

    // `model`: checked, and lives as long; any number of queries may use it at once.
    Query(Model const& model, Ended ended)
        : Request(&Query::build, &Query::take_apart)
        , model_(model)
        , ended_(ended) {}

    // A box: the query cannot go on. The first error is kept, and the boxes come to an end.
    void fail(Error const& error);
    // After the end: what went wrong; also that it was cancelled, if a box had to end before it was done.
    [[nodiscard]] Result<void> result() const {
        if (has_failed_.load(std::memory_order_acquire)) return error_;
        return {};
    }

    struct EdgeCounts {
        std::uint64_t envelopes = 0;
        std::uint64_t rejected = 0;
        std::uint64_t max_fill = 0; // of any edge
    };
    // After the end: of all edges.
    [[nodiscard]] EdgeCounts const& edge_counts() const { return edge_counts_; }

  private:
    static void build(CoreScheduler& here, Request& request);
    static void take_apart(CoreScheduler& here, Request& request);
    Result<void> make_boxes(CoreScheduler& here);
    Result<void> make_edges();

    struct Parts; // of the graph: one block of memory
    Model const& model_;
    Ended ended_;
    Parts* parts_ = nullptr;
    std::atomic<bool> is_failing_{false};
    std::atomic<bool> has_failed_{false};
    Error error_{"no error"};
    EdgeCounts edge_counts_;
};

} // namespace mxk::dataflow
