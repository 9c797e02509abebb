// A stage of a pipe by several boxes at once, with the order of the envelopes kept (Falt 2010, section 9.2.2):
// Distribute gives them to the boxes in turn, and Gather takes them in the same turn. So neither needs a list of what
// came early.
//
//     from -> Distribute -> box -> Gather -> to         model.add<Distribute>("deal"), some boxes alike,
//     model.add<Gather>("gather")
//                \--> box --/
//
// A box between them gives one envelope for each that it gets, also where no row is left in it. If one does not, Gather
// says so and the query ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"

namespace mxk::dataflow {

class Distribute : public Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    static Result<ColumnTypes> columns(std::span<InputColumns const> given) { return given[0].types; }

    using Box::Box;

  protected:
    Result<Step> receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer envelope) override {
        envelope->sequence = dealt_;
        emit_to(static_cast<std::size_t>(dealt_++ % outputs()), std::move(envelope));
        return Step::More;
    }

  private:
    std::uint64_t dealt_ = 0;
};

class Gather : public Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static Result<ColumnTypes> columns(std::span<InputColumns const> given) { return given[0].types; }

    using Box::Box;

  protected:
    [[nodiscard]] std::size_t wanted_input() const override {
        return static_cast<std::size_t>(gathered_ % Box::inputs().size());
    }
    Result<Step> receive(CoreScheduler& /*here*/, std::size_t input, EnvelopePointer envelope) override {
        if (envelope->sequence != gathered_)
            return Error::of(
                "expected envelope {} at input {} of a gather, got {}: a box in front of it has not passed one on",
                gathered_, input, envelope->sequence);
        ++gathered_;
        emit(std::move(envelope));
        return Step::More;
    }

  private:
    std::uint64_t gathered_ = 0;
};

} // namespace mxk::dataflow
