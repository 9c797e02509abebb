// Gives columns that are expressions of those that come. One that is a column as it is stays where it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "query/expression/expression_program.hpp"
#include "query/plan/plan_steps.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

struct MapSpec {
    struct Output {
        Program::Value value{};
        Field const* same = nullptr; // the column that it is
    };
    Schema result;
    Program program;
    std::array<Output, dataflow::Envelope::max_columns> outputs{}; // one for each field of the result
    bool has_expressions = false;

    // Errors: an expression that does not fit the columns; too many columns, or two of one name.
    Result<void> bind(std::span<NamedExpression const> columns, Schema const& rows);
};

class MapBox final : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;

    MapBox(dataflow::Query& query, CoreId core, MapSpec const* spec)
        : Box(query, core)
        , spec_(*spec) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;

  private:
    Result<void> compute(dataflow::Envelope const& from, dataflow::Envelope& to);

    MapSpec const& spec_;
    Registers registers_;
};

} // namespace mxk::query
