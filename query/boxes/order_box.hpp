// ORDER BY, with or without LIMIT: collects rows and gives them in order. With a limit it keeps no more than some times
// as many rows. Several do so side by side, and a MergeBox merges what they give. NULL comes last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "query/boxes/row_gather.hpp"
#include "query/expression/schema.hpp"
#include "query/plan/plan_steps.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"

namespace mxk::query {

struct OrderSpec {
    static constexpr std::size_t max_keys = 16;

    Schema const* schema = nullptr;
    std::uint64_t limit = no_limit;

    // Errors: a column that is missing, too many.
    Result<void> bind(std::span<OrderKey const> keys, Schema const& rows);
    // Whether the first row comes before the second one.
    [[nodiscard]] bool is_before(RowPlace const& a, RowPlace const& b) const;

  private:
    struct Key {
        Field const* field = nullptr;
        bool is_descending = false;
    };
    std::array<Key, max_keys> keys_{};
    std::size_t key_count_ = 0;
};

class OrderBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "order";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool collects = true;

    OrderBox(dataflow::Query& query, CoreId core, OrderSpec const* spec)
        : Box(query, core)
        , spec_(*spec) {}
    ~OrderBox() override { let_go(); }

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    Result<dataflow::Step> finish(dataflow::CoreScheduler& here) override;

  private:
    Result<void> keep(dataflow::EnvelopePointer envelope);
    Result<void> prune();
    void order();
    void let_go();

    OrderSpec const& spec_;
    dataflow::GrowingArray<RowPlace> rows_;
    dataflow::GrowingArray<dataflow::Envelope*> envelopes_;
    bool is_ordered_ = false;
    std::size_t given_ = 0;
};

} // namespace mxk::query
