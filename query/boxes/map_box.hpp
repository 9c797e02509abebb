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
    // Columns of the same values, stored as these say, which have room for all of them.
    void give_as(Schema const& wanted);
};
// All columns of both by their places, of one type and stored alike, named as the first's. Errors: they are not as
// many, or of types that do not meet.
Result<void> bind_alike(std::array<MapSpec, 2>& specs, std::array<Schema const*, 2> const& rows);

class MapBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "map";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;

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
