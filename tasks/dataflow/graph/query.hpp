// A request that is a graph of boxes: an instance of a model (model.hpp), built on the core that begins it and taken
// apart on the core where its last box ends, with all envelopes that are left.
//
//     Query query(model);
//     scheduler->submit(query);
//     Result<void> const result = query.wait();       error: box 'join': out of memory
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tasks/dataflow/request.hpp"

namespace mxk::dataflow {

class Box;
class Edge;
class Model;
class QueryMonitor;

class Query : public Request {
  public:
    // On the core where it ends, when all its memory has been given back, before those who wait for it are told.
    using AtEnd = void (*)(CoreScheduler& here, Query& query);

    // `model`: checked, and lives as long; any number of queries may use it at once. The query's result is where its
    // boxes have put it.
    explicit Query(Model const& model, AtEnd at_end = nullptr)
        : Request(&Query::build, &Query::take_apart)
        , model_(model)
        , at_end_(at_end) {}
    // Cancels it and waits, if it has not ended: what its boxes write to has to live longer, and so has the scheduler.
    ~Query();

    // Before it is submitted: who counts what it does, and may limit its memory (query_monitor.hpp).
    void monitor_by(QueryMonitor& monitor) { monitor_ = &monitor; }
    [[nodiscard]] QueryMonitor* monitor() const { return monitor_; }

    enum class State : std::uint8_t { New, Running, Done, Failed, Cancelled };
    // Any core or thread. Running: from its submission on. Cancelled: a box had to end before it was done.
    [[nodiscard]] State state() const;
    // As Request::wait(). Errors: what result() says.
    Result<void> wait() {
        return wait([] {});
    }
    template <typename Look> Result<void> wait(Look look) {
        if (is_submitted()) Request::wait(look);
        return result();
    }
    // Errors: what went wrong, also that it was cancelled; that it has not ended.
    [[nodiscard]] Result<void> result() const;

    // A box: the query cannot go on. The first error is kept, and the boxes come to an end.
    void fail(Error const& error) { end_early(error, State::Failed); }
    void note_cancelled() { end_early(Error("the query was cancelled"), State::Cancelled); }

    // In the constructors of boxes: what those of one `key` have together in this query; made for the first one. Null:
    // no memory.
    template <typename T> T* shared(void const* key) requires std::is_trivially_destructible_v<T> {
        static_assert(alignof(T) <= cache_line_bytes);
        bool is_new = false;
        void* const place = find_shared(key, sizeof(T), is_new);
        return is_new ? new (place) T : static_cast<T*>(place);
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
    void end_early(Error const& error, State as);
    Result<void> make_boxes(CoreScheduler& here);
    Result<void> make_edges();

    struct Parts; // of the graph: one block of memory
    struct Shared {
        Shared* next;
        void const* key;
        std::size_t bytes;
    };
    void* find_shared(void const* key, std::size_t bytes, bool& is_new);

    Model const& model_;
    AtEnd at_end_;
    QueryMonitor* monitor_ = nullptr;
    Parts* parts_ = nullptr;
    Shared* shared_ = nullptr;
    std::atomic<bool> is_failing_{false};
    State end_state_ = State::Done; // written once, before the end; and so is the error
    Error error_{"no error"};
    EdgeCounts edge_counts_;
};

} // namespace mxk::dataflow
