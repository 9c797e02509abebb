// A pipe whose boxes note where they run and where what they use lies: a source, stages, a box that looks each row up
// in a table that it keeps, and a sink. Memory is the heap's, or all of it lies on a node that is named. The request
// may move to another node on its way: then it is counted how what it uses gets to that node (Falt 2010,
// section 6.3.2).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/dataflow/graph_shape.hpp"
#include "bench/dataflow/requests.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::bench {

struct PlacedShape : GraphShape {
    std::size_t table_rows = 8;     // a multiple of the table's pieces
    std::optional<NodeId> memory{}; // of all columns and tables; none: the heap of the core that makes them
    std::uint32_t move_after = 0;   // envelopes at the sink, until the request moves; 0: it stays
    bool table_follows = true;      // else it stays where it was
    bool moves() const { return move_after != 0; }

    // Of all values that come to the sink.
    [[nodiscard]] std::uint64_t check_sum() const;
};

// How much was used, and of it what was on another node than it should be.
struct PlacedShare {
    std::uint64_t all = 0;
    std::uint64_t remote = 0;

    void add(std::uint64_t count, bool is_remote) {
        all += count;
        if (is_remote) remote += count;
    }
    void add(PlacedShare const& other) {
        all += other.all;
        remote += other.remote;
    }
    [[nodiscard]] double percent() const {
        return all == 0 ? 0 : 100 * static_cast<double>(remote) / static_cast<double>(all);
    }
};

struct PlacedUse {
    // Before the request moves, or all the time if it does not; and four parts of the envelopes after that.
    static constexpr std::size_t phases = 5;

    std::array<PlacedShare, phases> bytes; // used, on another node than the core that used them
    PlacedShare tasks;                     // on another node than the request's
    PlacedShare made;                      // bytes of columns, on another node than the core that asked for them
    PlacedShare graph;                     // boxes, on another node than the request's when they were made

    void add(PlacedUse const& other) {
        for (std::size_t phase = 0; phase < phases; ++phase) bytes[phase].add(other.bytes[phase]);
        tasks.add(other.tasks);
        made.add(other.made);
        graph.add(other.graph);
    }
    [[nodiscard]] PlacedShare all_bytes() const {
        PlacedShare sum;
        for (PlacedShare const& phase : bytes) sum.add(phase);
        return sum;
    }
};

struct PlacedQuery : dataflow::Query {
    PlacedQuery(dataflow::Model const& model, PlacedShape const& its_shape)
        : Query(model)
        , shape(its_shape) {}

    PlacedShape const& shape;
    dataflow::NodeScheduler* move_to = nullptr; // if it moves
    PlacedUse use{};                            // after the end
    GraphResult done{};
    bool has_moved = false; // the sink's

    [[nodiscard]] bool is_right() const {
        return done.check_sum == shape.check_sum() && done.rows == shape.all_rows() && done.is_in_order &&
               has_moved == shape.moves();
    }
    // What is used now belongs to this phase.
    [[nodiscard]] std::size_t phase() const {
        std::uint32_t const since = moved_at_.load(std::memory_order_relaxed);
        if (since == never) return 0;
        std::uint32_t const part = 4 * (arrived_.load(std::memory_order_relaxed) - since) / (shape.envelopes - since);
        return 1 + std::min<std::size_t>(part, PlacedUse::phases - 2);
    }
    // The sink, for each envelope.
    void note_arrival(dataflow::CoreScheduler& here);
    // The source, in each run: how often the request came to a node again that it had left.
    void note_home();
    [[nodiscard]] unsigned returns() const { return returns_; }

  private:
    static constexpr std::size_t max_homes = 32; // that are remembered

    std::array<NodeId, max_homes> homes_{}; // in order
    std::size_t home_count_ = 0;
    unsigned returns_ = 0;
    static constexpr std::uint32_t never = UINT32_MAX;
    std::atomic<std::uint32_t> arrived_{0}; // envelopes; the sink's
    std::atomic<std::uint32_t> moved_at_{never};
};

// Errors: no memory.
Result<void> make_placed_pipe(dataflow::Model& model, PlacedShape const& shape);

} // namespace mxk::bench
