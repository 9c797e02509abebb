// The source of a query: some columns of a table's rows, as views where they lie; texts as views of their bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "query/expression/schema.hpp"
#include "query/plan/source.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

// What all scans of a table's parts have in common.
struct ScanSpec {
    Source const* source = nullptr;
    Schema schema;
    std::array<SourceColumn const*, dataflow::Envelope::max_columns> columns{}; // one for each field
    std::size_t parts = 1;
    std::uint32_t rows_per_envelope = 1;
};

// Reads part `part` of so many, of about as many rows each.
class ScanBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "scan";
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;

    ScanBox(dataflow::Query& query, CoreId core, ScanSpec const* spec, std::size_t part);

  protected:
    Result<dataflow::Step> produce(dataflow::CoreScheduler& here) override;

  private:
    ScanSpec const& spec_;
    std::uint64_t next_row_;
    std::uint64_t end_;
};

} // namespace mxk::query
