// A query, made step by step: each step takes the rows of one before and gives rows of named, typed columns. A plan
// makes the boxes for it, as many side by side as it has parts, and connects them.
//
//     Plan plan({.cores = 4, .parts = 8});
//     std::array<std::string_view, 3> const columns{"price", "discount", "shipped"};
//     std::array<NamedExpression, 1> const keys{{{"shipped", column("shipped")}}};
//     std::array<Aggregate, 1> const sums{{{"sum", Function::Sum, column("price") * column("discount")}}};
//     auto const items = plan.scan("items", table, columns);
//     auto const early = plan.filter("early", items, column("shipped") <= date(1998, 9, 2));
//     plan.answer("answer", plan.group_by("by day", early, keys, sums), answer);
//     MXK_TRY(plan.check());     error: box 'early': expected a column of price, discount, shipped; got 'shiped'
//
// The first error of any step is kept until check(); steps on rows that could not be made do nothing. One core at a
// time makes a plan; once checked, any number of queries of its model run, one after the other where they have one
// answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "query/expression/expression.hpp"
#include "query/plan/answer.hpp"
#include "query/plan/plan_steps.hpp"
#include "query/plan/source.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::query {

struct PlanOptions {
    std::size_t cores = 1; // for which it is made: a group by has as many tables, a join up to 8 shares of one
    std::size_t parts = 1; // scans of a table side by side, each with boxes behind it; 1 to 256, others are the nearest
    std::uint32_t rows_per_envelope = 0;                        // 0: as many as are recommended for their size
    std::uint32_t capacity = dataflow::Model::default_capacity; // envelopes that may wait at an input
    std::uint64_t min_shared_rows = 100'000; // of a join's table: of fewer, one core builds all of it fast enough
};

class Plan {
  public:
    // What a step gives.
    struct Rows {
        Plan const* plan = nullptr;
        std::size_t number = SIZE_MAX;
    };

    explicit Plan(PlanOptions const& options);
    Plan(Plan const&) = delete;
    Plan& operator=(Plan const&) = delete;
    ~Plan();

    // `name`s: of the boxes, in errors. They and all texts are copied, but for those of expressions.
    // Reads the values of the columns once, for their ranges. The source lives as long.
    Rows scan(std::string_view name, Source const& source, std::span<std::string_view const> columns);
    Rows filter(std::string_view name, Rows rows, Expression const& condition);
    Rows group_by(std::string_view name, Rows rows, std::span<NamedExpression const> keys,
                  std::span<Aggregate const> aggregates);
    // Each column of the result by name.
    Rows map(std::string_view name, Rows rows, std::span<NamedExpression const> columns);
    // A table is built from `table`, in which the keys of `rows` are looked up.
    Rows join(std::string_view name, JoinKind kind, Rows table, Rows rows, std::span<JoinKey const> keys);
    // Columns by their places, as many of both, of types that meet as in expressions; they are named as the first's.
    Rows combine(std::string_view name, SetKind kind, Rows first, Rows second);
    // In order, the first `limit` of them. NULL comes last.
    Rows order_by(std::string_view name, Rows rows, std::span<OrderKey const> keys, std::uint64_t limit = no_limit);
    // The first ones that come.
    Rows limit(std::string_view name, Rows rows, std::uint64_t limit);
    // The end: the rows in no particular order unless they are sorted.
    void answer(std::string_view name, Rows rows, Answer& answer);

    // Errors: the first one of a step, with its name; what the model finds.
    Result<void> check();
    [[nodiscard]] dataflow::Model& model() { return model_; }
    // Of all scans.
    [[nodiscard]] std::uint64_t rows_read() const { return rows_read_; }

  private:
    using BoxId = dataflow::Model::BoxId;
    struct Step;
    template <typename Spec> struct StepOf;

    [[nodiscard]] Step* find(std::string_view name, Rows rows);
    [[nodiscard]] Schema const* schema_of(std::string_view name, Rows rows);
    Rows group(std::string_view name, Rows rows, std::span<NamedExpression const> keys,
               std::span<Aggregate const> aggregates);
    Rows group_distinct(std::string_view name, Rows rows, std::span<NamedExpression const> keys,
                        std::span<Aggregate const> aggregates);
    Rows concatenate(std::string_view name, Rows first, Rows second);
    template <typename Spec> StepOf<Spec>* add_step(std::string_view name, std::size_t streams);
    template <typename BoxType, typename Spec> void add_boxes(Step const& from, StepOf<Spec>& step);
    void connect_all(Step const& from, BoxId to);
    Rows finish(Step& step, Result<void> const& result);
    void fail(std::string_view name, Error const& error);

    PlanOptions options_;
    dataflow::Model model_;
    Step* first_ = nullptr;
    Step* last_ = nullptr;
    std::size_t steps_ = 0;
    std::uint64_t rows_read_ = 0;
    std::optional<Error> error_;
};

} // namespace mxk::query
