// The source of a query: some columns of a table's rows, as views where they lie; texts as views of their bytes. The
// scans of a step share the rows: each takes the next ones when it runs, of a table that lies on several nodes
// (Source::spread_over) those of its own node first (morsels of Leis et al. 2014, section 3).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"
#include "query/expression/schema.hpp"
#include "query/plan/source.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

// What all scans of a step have in common.
struct ScanSpec {
    Source const* source = nullptr;
    Schema schema;
    std::array<SourceColumn const*, dataflow::Envelope::max_columns> columns{}; // one for each field
    std::uint32_t rows_per_envelope = 1;
};

class ScanBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "scan";
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;

    ScanBox(dataflow::Query& query, CoreId core, ScanSpec const* spec)
        : Box(query, core)
        , spec_(*spec)
        , taken_(query.shared<Taken>(spec)) {}
    ~ScanBox() override { spec_.source->note_remote_rows(remote_rows_); }

  protected:
    Result<dataflow::Step> produce(dataflow::CoreScheduler& here) override;

  private:
    // Of the rows of each of the source's parts; may be more than there are. Relaxed, all: they lie there all the time.
    struct Taken {
        struct alignas(cache_line_bytes) Part {
            std::atomic<std::uint64_t> rows{0};
        };
        std::array<Part, max_source_parts> parts;
    };
    struct Rows {
        std::size_t part = 0; // of the source
        std::uint64_t first = 0;
        std::uint32_t count = 0; // 0: all have been taken
    };

    [[nodiscard]] Rows take_rows(dataflow::CoreScheduler& here) const;
    [[nodiscard]] dataflow::Column values_of(SourceColumn const& column, Rows const& rows) const;

    ScanSpec const& spec_;
    Taken* taken_;
    std::uint64_t remote_rows_ = 0;
};

} // namespace mxk::query
