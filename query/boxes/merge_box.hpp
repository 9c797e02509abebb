// Merges the rows of several inputs, each of which comes in one order, into that order. It reads the input that it
// needs next and no other. So two inputs may not be fed by one box, unless all that lies between collects, as boxes
// that sort do; the model's check says so (model.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernel/memory/node_vector.hpp"
#include "query/boxes/order_box.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

class MergeBox final : public dataflow::Box {
    using Row = dataflow::Envelope::Row;

  public:
    static constexpr std::string_view kind = "merge";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool reads_in_order = true;

    MergeBox(dataflow::Query& query, CoreId core, OrderSpec const* spec)
        : Box(query, core)
        , spec_(*spec)
        , left_(spec->limit) {}

  protected:
    [[nodiscard]] std::size_t wanted_input() const override;
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    Result<void> note_end(dataflow::CoreScheduler& here, std::size_t input) override;
    Result<dataflow::Step> finish(dataflow::CoreScheduler& here) override;

  private:
    // What has come from an input and was not given yet.
    struct Head {
        dataflow::EnvelopePointer envelope; // none: another one is to be read, or it is over
        Row at = 0;                         // of the rows that are meant
        bool is_over = false;

        [[nodiscard]] bool is_missing() const { return !envelope && !is_over; }
        [[nodiscard]] RowPlace place(Row row) const {
            return {.envelope = &*envelope, .row = envelope->selection ? envelope->selection.values<Row>()[row] : row};
        }
    };
    static constexpr std::size_t rows_per_envelope = 1024;

    Result<void> make_heads();
    Result<void> merge();
    [[nodiscard]] std::size_t next_input(std::size_t without) const;
    [[nodiscard]] Row end_before(Head const& head, RowPlace const& other, bool also_equal) const;
    Result<void> take(Head& head, Row to);
    Result<void> give();

    OrderSpec const& spec_;
    std::uint64_t left_;     // of the limit
    NodeVector<Head> heads_; // of each input, once one has come
    std::array<RowPlace, rows_per_envelope> rows_;
    std::size_t filled_ = 0;
    std::uint64_t given_ = 0;
};

} // namespace mxk::query
