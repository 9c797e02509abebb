// A stage of a pipe by several boxes at once, with the order of the envelopes kept (Falt 2010, section 9.2.2):
// Distribute gives each envelope to a box that is idle, or else to the one that has the fewest before it, so that slow
// ones get fewer; Gather restores the order by the envelopes' numbers.
//
//     from -> Distribute -> box -> Gather -> to         model.add<Distribute>("deal"), some boxes alike,
//     model.add<Gather>("gather")
//                \--> box --/
//
// A box between them gives one envelope for each that it gets, also where no row is left in it, and in their order. If
// one does not, Gather says so and the query ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"
#include "tasks/dataflow/graph/shortest_queue.hpp"

namespace mxk::dataflow {

class Distribute : public Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    static constexpr bool deals = true;
    static Result<ColumnTypes> columns(std::span<InputColumns const> given) { return given[0].types; }

    using Box::Box;

  protected:
    Result<Step> receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer envelope) override {
        envelope->sequence = dealt_++;
        std::size_t const best = choose([&](std::size_t at) { return output(at).load(); });
        last_ = best == no_box ? 0 : best; // none is wanted any more: it is discarded
        emit_to(last_, std::move(envelope));
        return Step::More;
    }
    // The first that has room comes to its next envelope soonest.
    std::size_t other_output() override {
        return choose([&](std::size_t at) { return output(at).ask_for_room() ? 0 : not_wanted; });
    }

  private:
    template <typename Load> std::size_t choose(Load load) const {
        return shortest_queue(outputs(), last_,
                              [&](std::size_t at) { return output(at).is_refused() ? not_wanted : load(at); });
    }

    std::uint64_t dealt_ = 0;
    std::size_t last_ = 0;
};

class Gather : public Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool waits_for_each = true;
    static Result<ColumnTypes> columns(std::span<InputColumns const> given) { return given[0].types; }

    using Box::Box;
    ~Gather() override {
        for (Envelope* const held : held_.span()) EnvelopePointer const left(held);
    }

  protected:
    // One of which none is held back. Each input is in order, so the next envelope comes at one of these.
    [[nodiscard]] std::size_t wanted_input() const override {
        std::size_t wanted = 0;
        for (std::size_t input = 0; input < Box::inputs().size(); ++input) {
            if (holds(input)) continue;
            wanted = input;
            if (Box::inputs()[input]->has_envelopes()) break;
        }
        return wanted;
    }
    Result<Step> receive(CoreScheduler& /*here*/, std::size_t input, EnvelopePointer envelope) override {
        if (envelope->sequence < gathered_)
            return Error::of("expected envelope {} of a gather or a later one, got one before it", gathered_);
        while (held_.size() < Box::inputs().size())
            if (!held_.add(nullptr)) return no_memory_for_envelopes();
        held_[input] = envelope.release();
        for (std::size_t at = holder_of_next(); at != any; at = holder_of_next()) {
            ++gathered_;
            emit(EnvelopePointer(std::exchange(held_[at], nullptr)));
        }
        MXK_TRY(check());
        return Step::More;
    }
    Result<void> note_end(CoreScheduler& /*here*/, std::size_t /*input*/) override { return check(); }

  private:
    [[nodiscard]] bool holds(std::size_t input) const { return input < held_.size() && held_[input] != nullptr; }
    [[nodiscard]] std::size_t holder_of_next() const {
        for (std::size_t input = 0; input < held_.size(); ++input)
            if (holds(input) && held_[input]->sequence == gathered_) return input;
        return any;
    }
    // Whether the next one can still come.
    [[nodiscard]] Result<void> check() const {
        bool holds_any = false;
        for (std::size_t input = 0; input < Box::inputs().size(); ++input) {
            if (!holds(input) && !Box::inputs()[input]->is_end_noted()) return {};
            holds_any = holds_any || holds(input);
        }
        if (!holds_any) return {};
        return Error::of("expected envelope {} of a gather, got later ones: a box in front of it has not passed it on",
                         gathered_);
    }

    std::uint64_t gathered_ = 0;
    GrowingArray<Envelope*> held_; // by input; null: none
};

} // namespace mxk::dataflow
