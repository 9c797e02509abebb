// The end of a plan: what comes belongs to the answer.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "query/plan/answer.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

class SinkBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "answer";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    static constexpr bool has_many_inputs = true;

    SinkBox(dataflow::Query& query, CoreId core, Answer* answer)
        : Box(query, core)
        , answer_(*answer) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) override {
        if (!answer_.add(std::move(envelope))) return Error("out of memory: the answer does not fit");
        return dataflow::Step::More;
    }

  private:
    Answer& answer_;
};

} // namespace mxk::query
