// Two queries at once, each of three boxes: numbers, their squares, and the sum of these.
#include <mxk/runtime.hpp>
#include <mxk/tasks/dataflow/graph/model.hpp>
#include <mxk/tasks/dataflow/scheduler.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <string_view>
#include <vector>

namespace {

using namespace mxk::dataflow;
using Number = std::uint64_t;

// A source: the numbers from `first` on, in envelopes of a thousand rows.
struct Numbers : Box {
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    Numbers(Query& query, mxk::CoreId core, Number first)
        : Box(query, core)
        , next(first)
        , end(first + 100'000) {}
    static mxk::Result<ColumnTypes> columns(std::span<InputColumns const> /*given*/, Number /*first*/) {
        return ColumnTypes::only<Number>();
    }
    mxk::Result<Step> produce(CoreScheduler& /*here*/) override {
        EnvelopePointer rows = Envelope::create(1000);
        if (!rows || !(rows->columns[0] = Column::create_for<Number>(1000))) return no_memory_for_envelopes();
        for (Number& row : std::span(rows->columns[0].writable<Number>(), 1000)) row = next++;
        emit(std::move(rows));
        return next < end ? Step::More : Step::Done;
    }
    Number next, end;
};
struct Squares : Box {
    static constexpr std::array<std::string_view, 1> inputs{"numbers"};
    static constexpr bool has_output = true;
    using Box::Box;
    // Refuses a model whose numbers are of another type.
    static mxk::Result<ColumnTypes> columns(std::span<InputColumns const> given) {
        if (auto fits = given[0].expect(0, column_type_of<Number>()); !fits) return fits.error();
        return ColumnTypes::only<Number>();
    }
    mxk::Result<Step> receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer rows) override {
        Column squares = Column::create_for<Number>(rows->rows);
        if (!squares) return no_memory_for_envelopes();
        for (std::size_t row = 0; row < rows->rows; ++row)
            squares.writable<Number>()[row] = rows->values<Number>(0)[row] * rows->values<Number>(0)[row];
        rows->columns[0] = std::move(squares);
        emit(std::move(rows));
        return Step::More;
    }
};
// A sink.
struct Sum : Box {
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    Sum(Query& query, mxk::CoreId core, Number* its_sum)
        : Box(query, core)
        , sum(*its_sum) {}
    mxk::Result<Step> receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer rows) override {
        for (std::size_t row = 0; row < rows->rows; ++row) sum += rows->values<Number>(0)[row];
        return Step::More;
    }
    Number& sum;
};

mxk::Result<void> run(mxk::Runtime const& runtime, std::array<Number, 2>& sums) {
    std::array<Model, 2> models;
    for (std::size_t i = 0; i < 2; ++i) {
        auto const squares = models[i].add<Squares>("squares");
        models[i].connect(models[i].add<Numbers>("numbers", Number{i * 100'000}), squares);
        models[i].connect(squares, models[i].add<Sum>("sum", &sums[i]));
        if (auto checked = models[i].check(); !checked) return checked;
    }
    std::vector<mxk::CoreId> cores;
    for (auto const& core : runtime.topology().cores) cores.push_back(core.id);
    auto scheduler = Scheduler::create(cores, {});
    if (!scheduler) return scheduler.error();
    Query first(models[0]);
    Query second(models[1]);
    scheduler.value()->submit(first); // any thread may
    scheduler.value()->submit(second);
    if (auto ended = first.wait(); !ended) return ended;
    return second.wait();
}

} // namespace

int main() {
    std::array<Number, 2> sums{};
    auto runtime = mxk::Runtime::start({.own_threads = true});
    mxk::Result<void> const result = runtime.ok() ? run(runtime.value(), sums) : runtime.error();
    if (!result) {
        std::cerr << "dataflow: " << result.error().message() << '\n';
        return 1;
    }
    std::cout << "the squares make " << sums[0] << " and " << sums[1] << '\n';
    return 0;
}
