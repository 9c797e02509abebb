// Group by: a box groups the rows of its part in a table of its own; where there are several parts, as many boxes merge
// their tables, each some ranges of the keys' hashes, so that no step of it is done by one core.
//
//     rows -> GroupBox -.-> MergeGroupsBox -> groups
//     rows -> GroupBox -x-> MergeGroupsBox -> groups
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "query/boxes/group_layout.hpp"
#include "query/boxes/record_table.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"

namespace mxk::query {

// Gives its groups, or a view of its table to those that merge.
class GroupBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "group";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool collects = true;

    GroupBox(dataflow::Query& query, CoreId core, GroupLayout const* layout, bool is_merged)
        : Box(query, core)
        , layout_(*layout)
        , is_merged_(is_merged)
        , table_(*layout) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    Result<dataflow::Step> finish(dataflow::CoreScheduler& here) override;
    dataflow::Step follow(NodeId node) override;

  private:
    Result<void> add(std::uint32_t rows);

    GroupLayout const& layout_;
    bool is_merged_;
    RecordTable table_;
    Registers registers_;
    GroupLayout::Words words_;
    std::array<std::byte*, Program::chunk> groups_;
    std::size_t cursor_ = 0; // of what has been given
    std::uint64_t given_ = 0;
};

// Of share `share` of so many of all hashes.
class MergeGroupsBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "merge groups";
    static constexpr std::array<std::string_view, 1> inputs{"tables"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool collects = true;

    MergeGroupsBox(dataflow::Query& query, CoreId core, GroupLayout const* layout, std::size_t share,
                   std::size_t shares)
        : Box(query, core)
        , layout_(*layout)
        , share_(share)
        , shares_(shares)
        , merged_(*layout) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    Result<dataflow::Step> finish(dataflow::CoreScheduler& here) override;

  private:
    Result<void> begin();
    Result<void> merge_range(std::uint64_t range);

    GroupLayout const& layout_;
    std::size_t share_;
    std::size_t shares_;
    RecordTable merged_; // one range of hashes
    dataflow::GrowingArray<RecordTable const*> tables_;
    std::array<std::byte*, Program::chunk> records_;
    unsigned range_bits_ = 0; // there are 2^range_bits_ ranges
    std::uint64_t range_ = 0; // the next one
    std::uint64_t end_ = 0;   // behind the last one of this share
    std::size_t cursor_ = 0;  // of what has been given of the merged one
    bool has_range_ = false;
    bool has_begun_ = false;
    std::uint64_t given_ = 0;
};

} // namespace mxk::query
