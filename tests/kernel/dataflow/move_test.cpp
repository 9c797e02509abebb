// Requests that move to another node in the middle of their work: all rows come through in their order, and what boxes
// keep goes to the new node, in turns of the box.
#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "query/boxes/group_box.hpp"
#include "tasks/dataflow/graph/model.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/dataflow/on_nodes.hpp"
#include "tests/kernel/query/row_boxes/map.hpp"

namespace mxk::dataflow_tests {
namespace {

using dataflow::Column;
using dataflow::EnvelopePointer;
using dataflow::Step;

constexpr std::uint32_t moving_envelopes = 120;
constexpr std::uint32_t moving_rows = 37;
constexpr std::uint64_t moving_groups = 1000;

// One that goes to the next node each time that so many envelopes have left the source.
struct MovingQuery : dataflow::Query {
    MovingQuery(dataflow::Model const& model, std::uint32_t every)
        : Query(model)
        , move_every(every) {}

    std::uint32_t move_every;
    unsigned moves = 0;   // the source's
    unsigned refused = 0; // to a node where it was
    // The keeper's.
    unsigned follows = 0;
    unsigned beside = 0; // calls beside another one
    bool kept_is_right = true;
    NodeId kept_on{};
    // The sink's.
    std::uint64_t rows = 0;
    std::uint64_t sum = 0;
    bool is_in_order = true;
};

// Gives numbers in descending order.
class MovingSource final : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    using Box::Box;

  private:
    Result<Step> produce(CoreScheduler& here) override {
        auto& moving = static_cast<MovingQuery&>(query());
        auto envelope = dataflow::Envelope::create(moving_rows, made_);
        auto column = Column::create_for<std::uint64_t>(moving_rows);
        if (!envelope || !column) return dataflow::no_memory_for_envelopes();
        for (std::uint32_t row = 0; row < moving_rows; ++row)
            column.writable<std::uint64_t>()[row] =
                std::uint64_t{moving_envelopes} * moving_rows - made_ * moving_rows - row - 1;
        envelope->columns[0] = std::move(column);
        emit(std::move(envelope));
        if (++made_ % moving.move_every == 0) move(here, moving);
        return made_ == moving_envelopes ? Step::Done : Step::More;
    }
    static void move(CoreScheduler& here, MovingQuery& moving) {
        dataflow::Scheduler& scheduler = here.scheduler();
        dataflow::NodeScheduler* from = nullptr;
        for (dataflow::NodeScheduler& node : scheduler.nodes())
            if (node.node() == moving.home()) from = &node;
        auto const to = static_cast<std::uint16_t>((from->place() + 1U) % scheduler.nodes().size());
        bool const is_moved = scheduler.balancer().move_now(moving, scheduler.node(to));
        ++(is_moved ? moving.moves : moving.refused);
    }
    std::uint64_t made_ = 0;
};

// Keeps two columns, and passes envelopes on.
class Keeper final : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    static constexpr std::size_t kept_rows = 1000;
    using Box::Box;
    ~Keeper() override {
        auto& moving = static_cast<MovingQuery&>(query());
        for (Column const& column : kept_) {
            for (std::size_t row = 0; row < kept_rows; ++row)
                moving.kept_is_right = moving.kept_is_right && column.values<std::uint64_t>()[row] == row;
            moving.kept_on = column.node();
        }
        moving.kept_is_right = moving.kept_is_right && kept_[0].node() == kept_[1].node();
    }

  private:
    Result<Step> receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer envelope) override {
        enter();
        for (Column& column : kept_) {
            if (column) continue;
            column = Column::create_for<std::uint64_t>(kept_rows);
            if (!column) return dataflow::no_memory_for_envelopes();
            for (std::size_t row = 0; row < kept_rows; ++row) column.writable<std::uint64_t>()[row] = row;
        }
        emit(std::move(envelope));
        leave();
        return Step::More;
    }
    Step follow(NodeId node) override {
        enter();
        Step step = Step::Done;
        for (Column& column : kept_) {
            if (!column || column.node() == node) continue;
            ++static_cast<MovingQuery&>(query()).follows;
            step = column.copy_to(node, kept_rows * sizeof(std::uint64_t)) ? Step::More : Step::Done;
            break;
        }
        leave();
        return step;
    }
    void enter() {
        if (inside_.fetch_add(1, std::memory_order_relaxed) != 0) ++static_cast<MovingQuery&>(query()).beside;
        RandomDelay::point();
    }
    void leave() { inside_.fetch_sub(1, std::memory_order_relaxed); }

    std::array<Column, 2> kept_;
    std::atomic<unsigned> inside_{0};
};

class MovingSink final : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = false;
    using Box::Box;

  private:
    Result<Step> receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer envelope) override {
        auto& moving = static_cast<MovingQuery&>(query());
        for (std::uint32_t row = 0; row < envelope->rows; ++row) {
            std::uint64_t const key = envelope->values<std::uint64_t>(0)[row];
            moving.is_in_order = moving.is_in_order && key == moving.rows;
            ++moving.rows;
            moving.sum += key;
        }
        return Step::More;
    }
};

// Sorted behind the keeper, so that all comes through two boxes that keep something.
void move_and_sort(Scheduler& scheduler, std::uint32_t every) {
    dataflow::Model model;
    auto const source = model.add<MovingSource>("source");
    auto const keeper = model.add<Keeper>("keeper");
    auto const sort = model.add<dataflow::SortBox>("sort", 50U);
    model.connect(source, keeper);
    model.connect(keeper, sort);
    model.connect(sort, model.add<MovingSink>("sink"));
    MXK_REQUIRE(model.check().ok());
    MovingQuery query(model, every);
    scheduler.submit(query);
    MXK_CHECK(query.wait().ok());
    std::uint64_t const rows = std::uint64_t{moving_envelopes} * moving_rows;
    MXK_CHECK_EQUAL(query.rows, rows);
    MXK_CHECK_EQUAL(query.sum, rows * (rows - 1) / 2);
    MXK_CHECK(query.is_in_order);
    MXK_CHECK_EQUAL(query.beside, 0u);
    MXK_CHECK(query.kept_is_right);
    // To each node once, and never back.
    unsigned const asked = moving_envelopes / every;
    MXK_CHECK_EQUAL(query.moves, std::min<unsigned>(asked, static_cast<unsigned>(scheduler.nodes().size()) - 1));
    MXK_CHECK_EQUAL(query.moves + query.refused, asked);
    // The keeper has worked long after the last move, on the node where the request is.
    MXK_CHECK(query.follows > 0);
    MXK_CHECK(query.kept_on == query.home());
}

// Groups of equal remainders: as many rows each, or one more.
class GroupSink final : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"groups"};
    static constexpr bool has_output = false;
    using Box::Box;

  private:
    Result<Step> receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer envelope) override {
        auto& moving = static_cast<MovingQuery&>(query());
        constexpr std::uint64_t all = std::uint64_t{moving_envelopes} * moving_rows;
        for (std::uint32_t row = 0; row < envelope->rows; ++row) {
            std::uint64_t const key = envelope->values<std::uint64_t>(0)[row];
            auto const count = static_cast<std::uint64_t>(envelope->values<std::int64_t>(1)[row]);
            moving.is_in_order =
                moving.is_in_order && count == all / moving_groups + (key < all % moving_groups ? 1 : 0);
            ++moving.rows;
            moving.sum += count;
        }
        return Step::More;
    }
};
void move_and_group(Scheduler& scheduler) {
    dataflow::Model model;
    auto const source = model.add<MovingSource>("source");
    auto const key =
        mxk::query_tests::add_map<std::uint64_t>(model, "key", 0, mxk::query_tests::ColumnsOf<std::uint64_t>{{0}},
                                                 [](std::uint64_t number) { return number % moving_groups; });
    mxk::query::Schema schema;
    MXK_REQUIRE(schema
                    .add({.name = FixedText<32>("key"),
                          .type = {.kind = mxk::query::Kind::U64},
                          .storage = mxk::query::Storage::U64,
                          .range = {.low = 0, .high = INT64_MAX}}, // hashed
                         false)
                    .ok());
    auto const keys = std::to_array<mxk::query::NamedExpression>({{"key", mxk::query::column("key")}});
    auto const counts = std::to_array<mxk::query::Aggregate>({{"rows", mxk::query::Function::Count}});
    mxk::query::GroupLayout layout;
    MXK_REQUIRE(layout.bind(keys, counts, schema, UINT32_MAX).ok());
    auto const groups =
        model.add<mxk::query::GroupBox>("groups", static_cast<mxk::query::GroupLayout const*>(&layout), false);
    model.connect(source, key);
    model.connect(key, groups);
    model.connect(groups, model.add<GroupSink>("sink"));
    MXK_REQUIRE(model.check().ok());
    MovingQuery query(model, 30);
    scheduler.submit(query);
    MXK_CHECK(query.wait().ok());
    MXK_CHECK(query.moves > 0);
    MXK_CHECK_EQUAL(query.rows, moving_groups); // none twice: each was found again after a move
    MXK_CHECK_EQUAL(query.sum, std::uint64_t{moving_envelopes} * moving_rows);
    MXK_CHECK(query.is_in_order);
}

MXK_TEST(dataflow, groups_are_found_again_after_their_request_has_moved) {
    on_nodes({.balances = false}, [](Scheduler& scheduler) {
        for (unsigned round = 0; round < 20; ++round) move_and_group(scheduler);
    });
}
MXK_TEST(dataflow, what_boxes_keep_goes_to_the_node_that_their_request_moves_to) {
    on_nodes({.balances = false}, [](Scheduler& scheduler) {
        for (unsigned round = 0; round < 20; ++round)
            for (std::uint32_t const every : {30U, 7U}) move_and_sort(scheduler, every);
    });
}
MXK_TEST(dataflow, what_boxes_keep_goes_to_the_node_also_with_delays) {
    InjectDelays const delays;
    on_nodes({.balances = false}, [](Scheduler& scheduler) {
        for (unsigned round = 0; round < 5; ++round) move_and_sort(scheduler, 11);
    });
}

} // namespace
} // namespace mxk::dataflow_tests
