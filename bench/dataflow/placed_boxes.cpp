#include "bench/dataflow/placed_boxes.hpp"

#include <span>

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

Result<dataflow::Step> PlacedSource::produce(CoreScheduler& here) {
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

Result<dataflow::Step> PlacedStage::receive(CoreScheduler& here, std::size_t /*input*/, EnvelopePointer envelope) {
    note_run(here);
    note_use(here, *envelope);
    Made made = MXK_TRY(make_column(here, envelope->rows));
    work_rows(envelope->values<std::uint64_t>(0), made.values, envelope->rows, shape().work);
    envelope->columns[0] = std::move(made.column);
    emit(std::move(envelope));
    return dataflow::Step::More;
}

Result<void> PlacedLookUp::make_table() {
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

void PlacedLookUp::look_up(CoreScheduler& here, std::uint64_t const* in, std::uint64_t* out, std::uint32_t rows) {
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

Result<dataflow::Step> PlacedLookUp::receive(CoreScheduler& here, std::size_t /*input*/, EnvelopePointer envelope) {
    note_run(here);
    note_use(here, *envelope);
    if (!table_[0]) MXK_TRY(make_table());
    Made made = MXK_TRY(make_column(here, envelope->rows));
    look_up(here, envelope->values<std::uint64_t>(0), made.values, envelope->rows);
    envelope->columns[0] = std::move(made.column);
    emit(std::move(envelope));
    return dataflow::Step::More;
}

dataflow::Step PlacedLookUp::follow(NodeId node) {
    if (!shape().table_follows || shape().memory) return dataflow::Step::Done;
    for (dataflow::Column& piece : table_) {
        if (!piece || piece.node() == node) continue;
        return piece.copy_to(node, piece_rows() * sizeof(std::uint64_t)) ? dataflow::Step::More : dataflow::Step::Done;
    }
    return dataflow::Step::Done;
}

Result<dataflow::Step> PlacedSink::receive(CoreScheduler& here, std::size_t /*input*/, EnvelopePointer envelope) {
    note_run(here);
    note_use(here, *envelope);
    PlacedQuery& query = placed();
    if (envelope->sequence != sequence_++) query.is_in_order = false;
    query.check_sum += sum_rows(envelope->values<std::uint64_t>(0), envelope->rows);
    query.rows += envelope->rows;
    query.note_arrival(here);
    return dataflow::Step::More;
}

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
