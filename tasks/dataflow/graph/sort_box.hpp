// Boxes that sort a column of keys. SortBox works as envelopes arrive, while they are in the cache: it keeps sorted
// runs, of each power of two one or none, and merges only runs of equal length, as a binary counter carries. So each
// row takes part in log(n) merges (Falt 2010, section 9.1). CollectingSortBox keeps all until the end and sorts then:
// what it is compared with. A third one makes tasks of its own: parallel_sort_box.hpp.
//
//     runs:  1 2 - 8        3 rows more: 2 and 1        -> 1+1 = 2, 2+2 = 4:        - 2 4 8
//
// All take envelopes of one column of u64, of which a selection may be meant, and give the keys in ascending order as
// views of one column. Equal keys are not told apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"

namespace mxk::dataflow {

// Keys in ascending order.
struct SortedKeys {
    Column keys;
    std::size_t rows = 0;
};
// Keys of `count` selected rows of an envelope, from the `first` of them on.
void copy_keys(Envelope const& envelope, std::size_t first, std::size_t count, std::uint64_t* out);
// No column: no memory.
SortedKeys merge(SortedKeys const& a, SortedKeys const& b);

// What they have in common: the result in envelopes.
class SortingBox : public Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool collects = true;

    template <typename... Arguments>
    static Result<ColumnTypes> columns(std::span<InputColumns const> given, Arguments const&... /*of add()*/) {
        MXK_TRY(given[0].expect(0, ColumnType::U64));
        return ColumnTypes::only<std::uint64_t>();
    }

    // `rows`: of an envelope that it gives; 0: the recommended number.
    SortingBox(Query& query, CoreId home_core, std::uint32_t rows);

  protected:
    // All that has come, once it has. AfterTasks: tasks do a part of it first, and this is called again; Done: here it
    // is, or nothing has come.
    virtual Result<Step> sort_all(CoreScheduler& here, SortedKeys& result) = 0;
    Result<Step> finish(CoreScheduler& here) final;

  private:
    std::uint32_t rows_;
    SortedKeys result_;
    std::size_t given_ = 0; // rows of the result
    std::uint64_t sequence_ = 0;
    bool is_sorted_ = false;
};

class SortBox final : public SortingBox {
  public:
    using SortingBox::SortingBox;

  private:
    Result<Step> receive(CoreScheduler& here, std::size_t input, EnvelopePointer envelope) override;
    Result<Step> sort_all(CoreScheduler& here, SortedKeys& result) override;
    Step follow(NodeId node) override;
    Result<void> add(SortedKeys run, std::size_t power);

    std::array<SortedKeys, 64> runs_; // [i]: 2^i rows, or none
};

class CollectingSortBox final : public SortingBox {
  public:
    using SortingBox::SortingBox;
    ~CollectingSortBox() override;

  private:
    Result<Step> receive(CoreScheduler& here, std::size_t input, EnvelopePointer envelope) override;
    Result<Step> sort_all(CoreScheduler& here, SortedKeys& result) override;

    Envelope* first_ = nullptr; // by `next`
    std::size_t rows_ = 0;
};

} // namespace mxk::dataflow
