// Keeps the rows for which a condition is true, by a selection: the columns stay as they are. What asks whether a
// column of whole numbers lies between two constants is looked at first, column by column, on what is still there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "query/expression/expression_program.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

struct FilterSpec {
    struct RangeTest {
        Field field;
        Range wanted;
    };
    std::array<RangeTest, 8> ranges;
    std::size_t range_count = 0;
    Program rest; // of which the value is a condition, if there is one
    std::optional<Program::Value> condition;

    // Errors: the condition does not fit the columns, or is none.
    Result<void> bind(Expression const& wanted, Schema const& schema);

  private:
    Result<void> add(Expression::Node const& node, Schema const& schema, Expression& left);
    [[nodiscard]] bool add_range(Expression::Node const& node, Schema const& schema);
};

class FilterBox final : public dataflow::Box {
    using Row = dataflow::Envelope::Row;

  public:
    static constexpr std::string_view kind = "filter";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;

    FilterBox(dataflow::Query& query, CoreId core, FilterSpec const* spec)
        : Box(query, core)
        , spec_(*spec) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;

  private:
    Result<Row> keep_true(dataflow::Envelope const& rows, Row* out);

    FilterSpec const& spec_;
    Registers registers_;
};

} // namespace mxk::query
