// The first rows of all in some order, as records: what ORDER BY with LIMIT leaves, and the end of a query. It keeps no
// more than the limit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::query {

// What a query leaves, for who has started it. One core at a time: the sink's, then the caller's.
template <typename Record> struct Answer { dataflow::GrowingArray<Record> records; };

// Make: Record(Envelope const&, Row). Before: whether one record comes before another; no two are equal.
template <typename Record, typename Make, typename Before> class Top : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    static constexpr bool has_many_inputs = true;

    Top(dataflow::Query& query, CoreId core, Answer<Record>* answer, std::size_t limit, Make make, Before before)
        : Box(query, core)
        , answer_(*answer)
        , limit_(limit)
        , make_(make)
        , before_(before) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) override {
        if (limit_ == 0) return dataflow::Step::Done;
        bool is_full = false;
        envelope->for_each_row([&](auto row) { is_full = is_full || !keep(make_(*envelope, row)); });
        if (is_full) return Error("out of memory: the answer does not fit");
        return dataflow::Step::More;
    }
    Result<dataflow::Step> finish(dataflow::CoreScheduler& /*here*/) override {
        std::sort_heap(records().begin(), records().end(), before_);
        return dataflow::Step::Done;
    }

  private:
    [[nodiscard]] std::span<Record> records() { return answer_.records.span(); }

    // A heap whose head is the last of those kept.
    bool keep(Record const& record) {
        if (answer_.records.size() < limit_) {
            if (!answer_.records.add(record)) return false;
            std::push_heap(records().begin(), records().end(), before_);
        } else if (before_(record, records().front())) {
            std::pop_heap(records().begin(), records().end(), before_);
            records().back() = record;
            std::push_heap(records().begin(), records().end(), before_);
        }
        return true;
    }

    Answer<Record>& answer_;
    std::size_t limit_;
    Make make_;
    Before before_;
};

template <typename Record, typename Make, typename Before>
dataflow::Model::BoxId add_top(dataflow::Model& model, std::string_view name, Answer<Record>& answer, std::size_t limit,
                               Make make, Before before) {
    return model.add<Top<Record, Make, Before>>(name, &answer, limit, make, before);
}

} // namespace mxk::query
