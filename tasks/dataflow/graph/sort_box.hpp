// Boxes that sort a column of keys. SortBox works as envelopes arrive, while they are in the cache: it keeps sorted
// runs, of each power of two one or none, and merges only runs of equal length, as a binary counter carries. So each
// row takes part in log(n) merges (Falt 2010, section 9.1). CollectingSortBox keeps all until the end and sorts then:
// what it is compared with.
//
//     runs:  1 2 - 8        3 rows more: 2 and 1        -> 1+1 = 2, 2+2 = 4:        - 2 4 8
//
// Both take envelopes of one column of u64, of which a selection may be meant, and give the keys in ascending order as
// views of one column. Equal keys are not told apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"

namespace mxk::dataflow {

// Keys in ascending order.
struct SortedKeys {
    Column keys;
    std::size_t rows = 0;
};
// No column: no memory.
SortedKeys merge(SortedKeys const& a, SortedKeys const& b);

// What both have in common: the result in envelopes.
class SortingBox : public Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;

    // `rows`: of an envelope that it gives; 0: the recommended number.
    SortingBox(Query& query, CoreId home_core, std::uint32_t rows);

  protected:
    // All that has come, once.
    virtual Result<SortedKeys> sort_all() = 0;
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
    Result<SortedKeys> sort_all() override;
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
    Result<SortedKeys> sort_all() override;

    Envelope* first_ = nullptr; // by `next`
    std::size_t rows_ = 0;
};

} // namespace mxk::dataflow
