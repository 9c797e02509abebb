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
#include <string_view>
#include <utility>

#include "bench/dataflow/row_work.hpp"
#include "bench/dataflow/waited.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::bench {

struct PlacedShape {
    std::uint32_t envelopes = 1;
    std::uint32_t rows = 1; // of an envelope
    std::uint32_t stages = 1;
    std::uint32_t work = 0; // steps for each row in each stage (row_work.hpp)
    std::uint32_t capacity = dataflow::Model::default_capacity;
    std::size_t table_rows = 8;     // a multiple of Table::pieces
    std::optional<NodeId> memory{}; // of all columns and tables; none: the heap of the core that makes them
    std::uint32_t move_after = 0;   // envelopes at the sink, until the request moves; 0: it stays
    bool table_follows = true;      // else it stays where it was
    bool moves() const { return move_after != 0; }

    [[nodiscard]] std::uint64_t all_rows() const { return std::uint64_t{envelopes} * rows; }
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

struct PlacedQuery : WaitedQuery {
    PlacedQuery(dataflow::Model const& model, PlacedShape const& its_shape, Ends& its_ends)
        : WaitedQuery(model, its_ends)
        , shape(its_shape) {}

    PlacedShape const& shape;
    dataflow::NodeScheduler* move_to = nullptr; // if it moves
    PlacedUse use{};                            // after the end
    std::uint64_t check_sum = 0;
    std::uint64_t rows = 0;
    bool is_in_order = true;
    bool has_moved = false; // the sink's

    [[nodiscard]] bool is_right() const {
        return check_sum == shape.check_sum() && rows == shape.all_rows() && is_in_order && has_moved == shape.moves();
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

class PlacedBox : public dataflow::Box {
  public:
    PlacedBox(dataflow::Query& query, CoreId home_core)
        : Box(query, home_core) {
        use_.graph.add(1, memory::node_of(this) != query.home());
    }
    // The boxes of a request are destroyed one after the other.
    ~PlacedBox() override { placed().use.add(use_); }

  protected:
    struct Made {
        dataflow::Column column;
        std::uint64_t* values;
    };

    [[nodiscard]] PlacedQuery& placed() const { return static_cast<PlacedQuery&>(query()); }
    [[nodiscard]] PlacedShape const& shape() const { return placed().shape; }
    // Each run.
    void note_run(dataflow::CoreScheduler& here) { use_.tasks.add(1, here.worker().node() != query().home()); }
    // What is read, or written.
    void note_use(dataflow::CoreScheduler& here, void const* address, std::size_t bytes) {
        use_.bytes[placed().phase()].add(bytes, memory::node_of(address) != here.worker().node());
    }
    void note_use(dataflow::CoreScheduler& here, dataflow::Envelope const& envelope) {
        note_use(here, &envelope, sizeof(envelope));
        note_use(here, envelope.values<std::uint64_t>(0), envelope.rows * sizeof(std::uint64_t));
    }
    // A column to write, for the next envelope; no errors but lack of memory.
    Result<Made> make_column(dataflow::CoreScheduler& here, std::size_t rows) {
        Made made = MXK_TRY(shape().memory ? column_of_ring(rows) : column_of_heap(rows));
        if (!shape().memory) use_.made.add(rows * sizeof(std::uint64_t), made.column.node() != here.worker().node());
        note_use(here, made.values, rows * sizeof(std::uint64_t));
        return made;
    }
    // Of a node's memory that is named, as long as the box lives.
    static Result<NodeArray<std::uint64_t>> memory_on(NodeId node, std::size_t rows) {
        auto array = MXK_TRY(NodeArray<std::uint64_t>::create(rows, node));
        if (array.node() != node)
            return Error::of("node {} has no memory for {} bytes", node, rows * sizeof(Made::values));
        return array;
    }

  private:
    static Result<Made> column_of_heap(std::size_t rows) {
        auto column = dataflow::Column::create_for<std::uint64_t>(rows);
        if (!column) return dataflow::no_memory_for_envelopes();
        std::uint64_t* const values = column.writable<std::uint64_t>();
        return Made{std::move(column), values};
    }
    // As many as can be under way: those at the receiver's input, one that it reads, one that waits to be sent, and
    // the one that is made.
    Result<Made> column_of_ring(std::size_t rows) {
        std::size_t const columns = shape().capacity + std::size_t{3};
        if (ring_.size() == 0) ring_ = MXK_TRY(memory_on(*shape().memory, columns * rows));
        std::uint64_t* const values = &ring_[made_++ % columns * rows];
        return Made{dataflow::Column::view(values), values};
    }

    PlacedUse use_{};
    NodeArray<std::uint64_t> ring_;
    std::size_t made_ = 0;
};

class PlacedSource final : public PlacedBox {
  public:
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    using PlacedBox::PlacedBox;

  private:
    Result<dataflow::Step> produce(dataflow::CoreScheduler& here) override;
    std::uint64_t sequence_ = 0;
};

class PlacedStage final : public PlacedBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    using PlacedBox::PlacedBox;

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
};

// Adds to the n-th row what the table has in its row n, modulo its rows: the row's number.
class PlacedLookUp final : public PlacedBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr std::size_t pieces = 8; // of the table, each of which moves at once
    using PlacedBox::PlacedBox;

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    dataflow::Step follow(NodeId node) override;
    Result<void> make_table();
    void look_up(dataflow::CoreScheduler& here, std::uint64_t const* in, std::uint64_t* out, std::uint32_t rows);
    [[nodiscard]] std::size_t piece_rows() const { return shape().table_rows / pieces; }

    std::array<dataflow::Column, pieces> table_;
    NodeArray<std::uint64_t> named_memory_; // of the table
    std::size_t next_ = 0;                  // row of the table
};

class PlacedSink final : public PlacedBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    using PlacedBox::PlacedBox;

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    std::uint64_t sequence_ = 0;
};

Result<void> make_placed_pipe(dataflow::Model& model, PlacedShape const& shape);

} // namespace mxk::bench
