#include "tasks/dataflow/graph/box.hpp"

#include <algorithm>
#include <utility>

#include "base/fence.hpp"
#include "base/panic.hpp"
#include "tasks/dataflow/graph/monitored_work.hpp"
#include "tasks/dataflow/request_place.hpp"

namespace mxk::dataflow {

Box::~Box() {
    while (first_waiting_ != nullptr) {
        EnvelopePointer const left(first_waiting_);
        first_waiting_ = left->next;
    }
}

Result<Step> Box::produce(CoreScheduler& /*here*/) {
    panic("a box without inputs produces");
}
Result<Step> Box::receive(CoreScheduler& /*here*/, std::size_t /*input*/, EnvelopePointer /*envelope*/) {
    panic("a box with inputs receives");
}
Result<void> Box::note_end(CoreScheduler& /*here*/, std::size_t /*input*/) {
    return {};
}
Result<Step> Box::finish(CoreScheduler& /*here*/) {
    return Step::Done;
}
Step Box::follow(NodeId /*node*/) {
    return Step::Done;
}

void Box::fail(Error const& error) {
    query().fail(Error::of("box '{}': {}", name_, error.message()));
}

void Box::emit_to_all(EnvelopePointer envelope) {
    rows_given_ += envelope->selected;
    for (std::size_t output = outputs_.size(); output > 1; --output) {
        EnvelopePointer copy = envelope->copy();
        if (!copy) return fail(no_memory_for_envelopes());
        queue(output - 1, std::move(copy));
    }
    if (!outputs_.empty()) queue(0, std::move(envelope));
}

// False: a receiver has no room.
[[gnu::always_inline]] inline bool Box::send(CoreScheduler& here) {
    while (first_waiting_ != nullptr) {
        Envelope& envelope = *first_waiting_;
        Envelope* const behind = envelope.next; // it is the receiver's once it is sent
        Edge& output = *outputs_[envelope.output];
        if (output.is_refused()) {
            EnvelopePointer const unwanted(&envelope);
        } else {
            // By scheduling the receiver, which ends after its senders, or by the last look for room.
            has_fenced_ = true;
            if (!output.offer(here, envelope)) {
                std::size_t const other = other_output();
                if (other == any) return false;
                envelope.output = static_cast<std::uint32_t>(other);
                continue;
            }
        }
        first_waiting_ = behind;
        if (behind == nullptr) last_waiting_ = nullptr;
    }
    return true;
}

void Box::end_outputs(CoreScheduler& here) {
    if (are_outputs_ended_) return;
    are_outputs_ended_ = true;
    for (std::size_t output = outputs_.size(); output > 0; --output) outputs_[output - 1]->end(here);
}

// The box is done, its senders are not: they are told, and must get rid of what they have, or they would never end.
Outcome Box::discard_inputs(CoreScheduler& here) {
    bool is_over = true;
    for (Edge* const input : inputs_) {
        if (!input->is_over() && !input->is_refused()) input->refuse(here);
        while (EnvelopePointer const unwanted = input->take(here)) {
        }
        is_over = is_over && input->is_over();
    }
    return is_over ? Outcome::Ended : Outcome::Waits;
}

[[gnu::always_inline]] inline std::size_t Box::choose_input() const {
    if (inputs_.size() == 1) return inputs_[0]->has_envelopes() ? 0 : any; // whichever is wanted
    std::size_t const wanted = wanted_input();
    if (wanted != any) return inputs_[wanted]->has_envelopes() ? wanted : any;
    std::size_t input = last_input_;
    for (std::size_t step = 0; step < inputs_.size(); ++step) {
        input = input + 1 < inputs_.size() ? input + 1 : 0;
        if (!inputs_[input]->has_envelopes()) continue;
        last_input_ = static_cast<std::uint32_t>(input);
        return input;
    }
    return any;
}

// A sender that waits is told at once, so that it works meanwhile; one that only comes to wait now, at the end of the
// turn, when what this box has sent has made a fence.
[[gnu::always_inline]] inline EnvelopePointer Box::take(CoreScheduler& here, Edge& input) {
    if (input.is_full()) return input.take(here);
    taken_from_ = &input;
    return input.take_quietly();
}

[[gnu::always_inline]] inline void Box::tell_sender(CoreScheduler& here) {
    if (taken_from_ == nullptr) return;
    if (!has_fenced_) store_load_fence();
    std::exchange(taken_from_, nullptr)->tell_sender(here);
}

[[gnu::always_inline]] inline Result<Step> Box::read(CoreScheduler& here) {
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
        if (inputs_[input]->is_end_noted() || !inputs_[input]->is_over()) continue;
        inputs_[input]->note_end();
        ++inputs_over_;
        MXK_TRY(note_end(here, input));
    }
    if (std::size_t const input = choose_input(); input != any)
        return receive(here, input, take(here, *inputs_[input]));
    if (inputs_over_ != inputs_.size()) return Step::More;
    set_comes_last(true);
    return finish(here);
}

// All receivers have had enough. A sink has none.
[[gnu::always_inline]] inline bool Box::is_unwanted() const {
    return !outputs_.empty() && std::ranges::all_of(outputs_, [](Edge const* output) { return output->is_refused(); });
}

// Then what the query leaves is not all.
[[gnu::always_inline]] inline bool Box::is_cancelled() {
    if (!query().is_cancelled()) [[likely]]
        return false;
    query().note_cancelled();
    return true;
}

[[gnu::always_inline]] inline Result<Step> Box::work(CoreScheduler& here) {
    if (is_unwanted() || is_cancelled()) return Step::Done;
    return is_source() ? produce(here) : read(here);
}

[[gnu::always_inline]] inline bool Box::has_something_to_do() const {
    if (is_source()) return true;
    if (inputs_.size() == 1) return inputs_[0]->has_envelopes() || inputs_[0]->is_over();
    if (inputs_over_ == inputs_.size() || choose_input() != any) return true;
    return std::ranges::any_of(inputs_, [](Edge const* input) { return input->is_over() && !input->is_end_noted(); });
}

// True: more of what it keeps is to go to the request's node. On a core of another node, where a bound task may still
// be when its request has moved, or one of a shared request, nothing is done.
bool Box::follow_request(CoreScheduler& here) {
    NodeId const node = here.worker().node();
    if (node != query().home()) return false;
    if (follow(node) == Step::More) return true;
    home_ = node;
    return false;
}

void Box::attach_waker() {
    waker_->attach(*this, Worker::current().core());
    query().add_waker(*waker_);
}

void Box::note_waiting(bool waits) {
    waits_ = waits;
    RequestPlace* const place = query().place();
    if (place != nullptr && is_source()) place->note_sources(waits ? -1 : 1, waits ? 1 : -1);
}

// A box that is done.
Outcome Box::end_turn(CoreScheduler& here) {
    end_outputs(here);
    if (discard_inputs(here) != Outcome::Ended || has_tasks()) return Outcome::Waits;
    // A core is on its way with a wake: it schedules the box once more.
    if (waker_ != nullptr && !waker_->detach()) return Outcome::Waits;
    if (RequestPlace* const place = query().place(); place != nullptr && is_source()) place->note_sources(-1, 0);
    return Outcome::Ended;
}

[[gnu::always_inline]] inline Outcome Box::turn(CoreScheduler& here) {
    if (waits_) [[unlikely]]
        note_waiting(false);
    if (!send(here)) return Outcome::Waits; // its receiver schedules it
    if (awaits_tasks_) {
        if (has_tasks()) return Outcome::Waits; // the last of them schedules it
        awaits_tasks_ = false;
    }
    bool is_following = false;
    bool waits = false;
    if (!is_done_) {
        if (query().home() != home_ && !has_tasks()) [[unlikely]]
            is_following = follow_request(here);
        auto const step = work(here);
        if (!step.ok()) fail(step.error());
        is_done_ = !step.ok() || step.value() == Step::Done;
        awaits_tasks_ = step.ok() && step.value() == Step::AfterTasks && has_tasks();
        waits = step.ok() && step.value() == Step::Wait && inputs_over_ == inputs_.size();
        has_fenced_ = false;
        bool const is_sent = send(here);
        tell_sender(here);
        if (!is_sent) return Outcome::Waits;
    }
    if (is_done_) return end_turn(here);
    if (awaits_tasks_) return Outcome::Waits;
    if (waits && !is_following) {
        expect(waker_ != nullptr, "a box that waits has a waker");
        note_waiting(true);
        return Outcome::Waits;
    }
    return is_following || has_something_to_do() ? Outcome::Again : Outcome::Waits;
}

Outcome Box::run_turn(CoreScheduler& here, ReschedulableTask& task) {
    return static_cast<Box&>(task).turn(here);
}

// Of a monitored query from the beginning, so that others do not pay for it.
Outcome Box::run_monitored_turn(CoreScheduler& here, ReschedulableTask& task) {
    Box& box = static_cast<Box&>(task);
    MonitoredWork const monitored(box, here);
    Outcome const outcome = run_turn(here, task);
    box.query().monitor()->note_rows(box.number_, box.rows_given_ - std::exchange(box.rows_noted_, box.rows_given_));
    return outcome;
}

} // namespace mxk::dataflow
