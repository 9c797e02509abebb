// The boxes of the graphs that are measured (graph_shape.hpp), and a request that is such a graph.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "bench/dataflow/graph_shape.hpp"
#include "bench/dataflow/requests.hpp"
#include "bench/dataflow/row_work.hpp"
#include "kernel/clock.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::bench {

using dataflow::EnvelopePointer;

// What boxes write here, they write seldom: all of them read what stands around it.
struct GraphQuery : dataflow::Query {
    GraphQuery(dataflow::Model const& model, GraphShape const& its_shape, AtEnd at_end = nullptr)
        : Query(model, at_end)
        , shape(its_shape) {}
    GraphShape const& shape;
    GraphResult done; // what came of it
    // The order in which the branches' stages ran, as far as it is one after the other: how often the branch changed.
    // Only if boxes are timed.
    std::atomic<std::uint32_t> last_branch{UINT32_MAX};
    std::atomic<std::uint32_t> branch_changes{0};
};

// A box whose work may be timed.
class GraphBox : public dataflow::Box {
  public:
    // `branch`: which one the box is in; 0 where it is in none.
    GraphBox(dataflow::Query& query, CoreId home_core, std::uint32_t branch = 0)
        : Box(query, home_core)
        , shape_(static_cast<GraphQuery&>(query).shape)
        , branch_(branch) {}
    // The boxes of a request are destroyed one after the other.
    ~GraphBox() override { graph().done.add_work(worked_, branch_ == 0); }

  protected:
    [[nodiscard]] GraphQuery& graph() const { return static_cast<GraphQuery&>(query()); }
    [[nodiscard]] GraphShape const& shape() const { return shape_; }
    // Runs the function, which is the box's work on an envelope.
    template <typename Function> void work(Function function) {
        if (!shape().is_timed) return function();
        Cycles const start = clock::timestamp();
        function();
        worked_ = worked_ + (clock::timestamp() - start);
    }

    [[nodiscard]] std::uint32_t branch() const { return branch_; }

  private:
    GraphShape const& shape_;
    std::uint32_t branch_;
    Cycles worked_{};
};

// An envelope with one column of u64, not yet written; none if there is no memory.
inline EnvelopePointer make_envelope(std::uint32_t rows, std::uint64_t sequence) {
    EnvelopePointer envelope = dataflow::Envelope::create(rows, sequence);
    if (!envelope) return envelope;
    envelope->columns[0] = dataflow::Column::create_for<std::uint64_t>(rows);
    return envelope->columns[0] ? std::move(envelope) : EnvelopePointer();
}

class SourceBox final : public GraphBox {
  public:
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    using GraphBox::GraphBox;

  private:
    Result<dataflow::Step> produce(dataflow::CoreScheduler& /*here*/) override {
        if (sequence_ == 0) graph().done.start = clock::timestamp();
        std::uint32_t const rows = shape().rows;
        EnvelopePointer envelope = make_envelope(rows, sequence_);
        if (!envelope) return dataflow::no_memory_for_envelopes();
        work([&] { make_rows(sequence_ * rows, envelope->columns[0].writable<std::uint64_t>(), rows); });
        emit(std::move(envelope));
        return ++sequence_ == shape().envelopes ? dataflow::Step::Done : dataflow::Step::More;
    }
    std::uint64_t sequence_ = 0;
};

class StageBox final : public GraphBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    StageBox(dataflow::Query& query, CoreId home_core, std::uint32_t branch, std::uint32_t stage)
        : GraphBox(query, home_core, branch)
        , work_(shape().work_of(branch, stage)) {}

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   EnvelopePointer envelope) override {
        if (shape().is_timed && graph().last_branch.exchange(branch(), std::memory_order_relaxed) != branch())
            graph().branch_changes.fetch_add(1, std::memory_order_relaxed);
        dataflow::Column out = dataflow::Column::create_for<std::uint64_t>(envelope->rows);
        if (!out) return dataflow::no_memory_for_envelopes();
        work([&] {
            work_rows(envelope->values<std::uint64_t>(0), out.writable<std::uint64_t>(), envelope->rows, work_);
        });
        envelope->columns[0] = std::move(out);
        emit(std::move(envelope));
        return dataflow::Step::More;
    }
    std::uint32_t work_;
};

// Adds an envelope of each branch, row by row.
class JoinBox final : public GraphBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"branch"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    using GraphBox::GraphBox;

  private:
    [[nodiscard]] std::size_t wanted_input() const override { return next_; }
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t input,
                                   EnvelopePointer envelope) override {
        if (input == 0) {
            sums_ = make_envelope(envelope->rows, envelope->sequence);
            if (!sums_) return dataflow::no_memory_for_envelopes();
        }
        if (envelope->sequence != sums_->sequence) graph().done.is_in_order = false;
        auto* const sums = sums_->columns[0].writable<std::uint64_t>();
        work([&] {
            if (input == 0)
                work_rows(envelope->values<std::uint64_t>(0), sums, envelope->rows, 0);
            else
                add_rows(envelope->values<std::uint64_t>(0), sums, envelope->rows);
        });
        next_ = (input + 1) % shape().branches;
        if (next_ == 0) emit(std::move(sums_));
        return dataflow::Step::More;
    }
    std::size_t next_ = 0; // input
    EnvelopePointer sums_;
};

// A sink: what came of all rows is the graph's result when it ends.
class CountingSinkBox : public GraphBox {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    using GraphBox::GraphBox;

  protected:
    // Each envelope that comes.
    void count(dataflow::Envelope const& envelope) {
        if (envelope.sequence != sequence_++) graph().done.is_in_order = false;
        check_sum_ += sum_rows(envelope.values<std::uint64_t>(0), envelope.rows);
        rows_ += envelope.rows;
    }

  private:
    Result<dataflow::Step> finish(dataflow::CoreScheduler& /*here*/) final {
        GraphResult& done = graph().done;
        done.end = clock::timestamp();
        done.check_sum = check_sum_;
        done.rows = rows_;
        return dataflow::Step::Done;
    }
    std::uint64_t check_sum_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t sequence_ = 0;
};

class SinkBox final : public CountingSinkBox {
  public:
    using CountingSinkBox::CountingSinkBox;

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   EnvelopePointer envelope) override {
        work([&] { count(*envelope); });
        return dataflow::Step::More;
    }
};

// Checks besides that values come in ascending order.
class SortedSinkBox final : public CountingSinkBox {
  public:
    using CountingSinkBox::CountingSinkBox;

  private:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   EnvelopePointer envelope) override {
        auto const* const keys = envelope->values<std::uint64_t>(0);
        bool is_ascending = last_ <= keys[0];
        for (std::size_t row = 1; row < envelope->rows; ++row)
            is_ascending = is_ascending && keys[row - 1] <= keys[row];
        last_ = keys[envelope->rows - 1];
        if (!is_ascending) graph().done.is_in_order = false;
        count(*envelope);
        return dataflow::Step::More;
    }
    std::uint64_t last_ = 0;
};

// The next box of a pipe; gives its number.
inline dataflow::Model::BoxId append(dataflow::Model& model, dataflow::Model::BoxId last, dataflow::Model::BoxId next) {
    model.connect(last, next);
    return next;
}

// The boxes of a shape up to the one whose output is the result; gives that one, which a sink is still to be connected
// to.
inline dataflow::Model::BoxId begin_graph(dataflow::Model& model, GraphShape const& shape) {
    model.set_capacity(shape.capacity);
    auto const source = model.add<SourceBox>("source");
    auto const join = shape.branches > 1 ? model.add<JoinBox>("join") : dataflow::Model::BoxId{};
    auto last = source;
    for (std::uint32_t branch = 0; branch < shape.branches; ++branch) {
        last = source;
        for (std::uint32_t stage = 0; stage < shape.stages; ++stage)
            last = append(model, last, model.add<StageBox>("stage", branch, stage));
        if (shape.branches > 1) model.connect(last, join, "branch");
    }
    return shape.branches > 1 ? join : last;
}

// One request of that graph, and note(query) at its end. Errors: cancelled; what the query ends with. The console's
// task.
template <typename Note>
Result<void> run_graph(dataflow::Scheduler& scheduler, dataflow::Model const& model, GraphShape const& shape,
                       Progress const& progress, Note note) {
    std::array<GraphQuery, 1> queries{GraphQuery(model, shape)};
    MXK_TRY(run_all(scheduler, queries, progress));
    MXK_TRY(queries[0].result());
    note(queries[0]);
    return {};
}

} // namespace mxk::bench
