#include "bench/dataflow/placed_boxes.hpp"

#include <span>
#include <string_view>
#include <utility>

#include "bench/dataflow/row_work.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/dataflow/graph/model.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::bench {

using dataflow::CoreScheduler;
using dataflow::EnvelopePointer;

std::uint64_t PlacedShape::check_sum() const {
    // The table's rows come in turn: whole rounds, and the first ones once more.
    auto const sum_below = [](std::uint64_t end) { return end == 0 ? 0 : end * (end - 1) / 2; };
    std::uint64_t const from_table =
        all_rows() / table_rows * sum_below(table_rows) + sum_below(all_rows() % table_rows);
    return RowSteps::of(std::uint64_t{stages} * work).sum(all_rows()) + from_table;
}

void PlacedQuery::note_arrival(CoreScheduler& here) {
    std::uint32_t const arrived = arrived_.load(std::memory_order_relaxed) + 1;
    arrived_.store(arrived, std::memory_order_relaxed);
    if (arrived != shape.move_after) return;
    has_moved = here.scheduler().balancer().move_now(*this, *move_to);
    moved_at_.store(arrived, std::memory_order_relaxed);
}

void PlacedQuery::note_home() {
    NodeId const now = home();
    auto const known = std::span(homes_).first(home_count_);
    if (!known.empty() && known.back() == now) return;
    if (std::ranges::find(known, now) != known.end()) ++returns_;
    if (home_count_ < max_homes) homes_[home_count_++] = now;
}

namespace {

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
    Result<dataflow::Step> produce(CoreScheduler& here) override {
        note_run(here);
        placed().note_home();
        std::uint32_t const rows = shape().rows;
        EnvelopePointer envelope = dataflow::Envelope::create(rows, sequence_);
        if (!envelope) return dataflow::no_memory_for_envelopes();
        Made made = MXK_TRY(make_column(here, rows));
        make_rows(sequence_ * rows, made.values, rows);
        envelope->columns[0] = std::move(made.column);
        emit(std::move(envelope));
        return ++sequence_ == shape().envelopes ? dataflow::Step::Done : dataflow::Step::More;
    }
    std::uint64_t sequence_ = 0;
};

class PlacedStage final : public PlacedBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    using PlacedBox::PlacedBox;

  private:
    Result<dataflow::Step> receive(CoreScheduler& here, std::size_t /*input*/, EnvelopePointer envelope) override {
        note_run(here);
        note_use(here, *envelope);
        Made made = MXK_TRY(make_column(here, envelope->rows));
        work_rows(envelope->values<std::uint64_t>(0), made.values, envelope->rows, shape().work);
        envelope->columns[0] = std::move(made.column);
        emit(std::move(envelope));
        return dataflow::Step::More;
    }
};

// Adds to the n-th row what the table has in its row n, modulo its rows: the row's number.
class PlacedLookUp final : public PlacedBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    using PlacedBox::PlacedBox;

  private:
    static constexpr std::size_t pieces = 8; // of the table, each of which moves at once

    Result<void> make_table() {
        if (shape().memory) named_memory_ = MXK_TRY(memory_on(*shape().memory, shape().table_rows));
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            std::uint64_t* values = nullptr;
            if (shape().memory) {
                values = &named_memory_[piece * piece_rows()];
                table_[piece] = dataflow::Column::view(values);
            } else {
                table_[piece] = dataflow::Column::create_for<std::uint64_t>(piece_rows());
                values = table_[piece].writable<std::uint64_t>();
            }
            if (values == nullptr) return dataflow::no_memory_for_envelopes();
            make_rows(piece * piece_rows(), values, piece_rows());
        }
        return {};
    }
    void look_up(CoreScheduler& here, std::uint64_t const* in, std::uint64_t* out, std::uint32_t rows) {
        for (std::uint32_t row = 0; row < rows;) {
            dataflow::Column const& piece = table_[next_ / piece_rows()];
            std::size_t const first = next_ % piece_rows();
            auto const count = static_cast<std::uint32_t>(std::min<std::size_t>(rows - row, piece_rows() - first));
            std::uint64_t const* const values = piece.values<std::uint64_t>() + first;
            note_use(here, values, count * sizeof(std::uint64_t));
            for (std::uint32_t i = 0; i < count; ++i) out[row + i] = in[row + i] + values[i];
            row += count;
            next_ = (next_ + count) % shape().table_rows;
        }
    }
    Result<dataflow::Step> receive(CoreScheduler& here, std::size_t /*input*/, EnvelopePointer envelope) override {
        note_run(here);
        note_use(here, *envelope);
        if (!table_[0]) MXK_TRY(make_table());
        Made made = MXK_TRY(make_column(here, envelope->rows));
        look_up(here, envelope->values<std::uint64_t>(0), made.values, envelope->rows);
        envelope->columns[0] = std::move(made.column);
        emit(std::move(envelope));
        return dataflow::Step::More;
    }
    dataflow::Step follow(NodeId node) override {
        if (!shape().table_follows || shape().memory) return dataflow::Step::Done;
        for (dataflow::Column& piece : table_) {
            if (!piece || piece.node() == node) continue;
            return piece.copy_to(node, piece_rows() * sizeof(std::uint64_t)) ? dataflow::Step::More
                                                                             : dataflow::Step::Done;
        }
        return dataflow::Step::Done;
    }
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
    Result<dataflow::Step> receive(CoreScheduler& here, std::size_t /*input*/, EnvelopePointer envelope) override {
        note_run(here);
        note_use(here, *envelope);
        PlacedQuery& query = placed();
        if (envelope->sequence != sequence_++) query.done.is_in_order = false;
        query.done.check_sum += sum_rows(envelope->values<std::uint64_t>(0), envelope->rows);
        query.done.rows += envelope->rows;
        query.note_arrival(here);
        return dataflow::Step::More;
    }
    std::uint64_t sequence_ = 0;
};

} // namespace

Result<void> make_placed_pipe(dataflow::Model& model, PlacedShape const& shape) {
    model.set_capacity(shape.capacity);
    auto last = model.add<PlacedSource>("source");
    auto const append = [&](dataflow::Model::BoxId next) {
        model.connect(last, next);
        last = next;
    };
    for (std::uint32_t stage = 0; stage < shape.stages; ++stage) append(model.add<PlacedStage>("stage"));
    append(model.add<PlacedLookUp>("look-up"));
    append(model.add<PlacedSink>("sink"));
    return model.check();
}

} // namespace mxk::bench
