// A box: a task that takes envelopes from its inputs and gives envelopes to its outputs, one input envelope in a run
// (Falt 2010, sections 3.1 to 3.4). What a box does in which run:
//
//     1. what could not be sent before is sent; if there still is no room it waits, and its receiver schedules it
//     2. one envelope of an input is taken and received; a source produces one; without more input it finishes
//     3. what came of it is sent; if there is more to do, the box schedules itself, unbound
//
// Of boxes that wait unbound, those that have envelopes come before those that make new ones, which are sources, and
// boxes whose inputs are over: so what is in a pipe leaves it before more comes, and buffers do not stay full.
//
// A source that waits for something outside of the query, a socket or a timer, says so (Step::Wait): it is idle then,
// and its cores sleep, until somebody uses its waker (task_waker.hpp). The query can be cancelled meanwhile.
//
// A box may make tasks for parts of its work (box_task.hpp) and be run again when they have ended. One whose receivers
// have all had enough is done, and has had enough itself: so a query that ends early does not read all of its tables.
//
// A box that has several receivers for one output gives each of them the same columns, the last one first: the first
// one is then the newest on the core's stack, so the branches run one after the other, depth-first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "tasks/dataflow/graph/edge.hpp"
#include "tasks/dataflow/graph/envelope.hpp"
#include "tasks/dataflow/graph/query.hpp"

namespace mxk::dataflow {

// What a box says of its own work.
enum class Step : std::uint8_t {
    More,       // ask again
    Wait,       // of produce() and finish(): ask again when the box's waker (wait_by()) has been used, or before
    AfterTasks, // ask again when the tasks that the box has started (box_task.hpp) have ended, and not before
    Done        // it emits nothing any more
};

class BoxTask;

class Box : public ReschedulableTask {
  public:
    // `query`: of which it is part. By the model (model.hpp), on a core that runs the query.
    explicit Box(Query& query, CoreId home_core)
        : ReschedulableTask(query, query.monitor() == nullptr ? &Box::run_turn : &Box::run_monitored_turn, home_core)
        , home_(Worker::current().node()) {}
    virtual ~Box();

    // The model, of which it is box `number`, before the box runs. Its inputs in the order of their names; its outputs
    // as they were connected.
    void connect(std::string_view name, std::size_t number, std::span<Edge*> inputs, std::span<Edge*> outputs) {
        name_ = name;
        number_ = static_cast<std::uint32_t>(number);
        inputs_ = inputs;
        outputs_ = outputs;
        set_comes_last(is_source());
        if (waker_ != nullptr) attach_waker();
    }
    [[nodiscard]] std::span<Edge* const> inputs() const { return inputs_; }
    [[nodiscard]] bool is_source() const { return inputs_.empty(); }

  protected:
    static constexpr std::size_t any = SIZE_MAX;

    // Of a source: emits up to one envelope.
    virtual Result<Step> produce(CoreScheduler& here);
    // An envelope of an input. Done: the rest of all inputs is not wanted.
    virtual Result<Step> receive(CoreScheduler& here, std::size_t input, EnvelopePointer envelope);
    // An input is over: nothing more will come there.
    virtual Result<void> note_end(CoreScheduler& here, std::size_t input);
    // All inputs are over: emits up to one envelope; again until it says Done.
    virtual Result<Step> finish(CoreScheduler& here);
    // The request has moved to `node`, of which the calling core is: copies a piece of what the box keeps and does not
    // lie there yet into this core's heap, if there is memory. Called in turns of the box, in front of its work, until
    // it says Done: a piece is what does not take longer than an envelope.
    virtual Step follow(NodeId node);
    // For an envelope whose output has no room: another output that has. `any`: none; those that would do have been
    // asked for it (Edge::ask_for_room()).
    virtual std::size_t other_output() { return any; }
    // Which input is read next; `any`: one that has something, in turn. One that is over is not chosen.
    [[nodiscard]] virtual std::size_t wanted_input() const { return any; }

    // Sends an envelope to all receivers, or to one output, after those before. As many as one run makes.
    void emit(EnvelopePointer envelope) {
        if (outputs_.size() != 1) [[unlikely]]
            return emit_to_all(std::move(envelope));
        emit_to(0, std::move(envelope));
    }
    void emit_to(std::size_t output, EnvelopePointer envelope) {
        rows_given_ += envelope->selected;
        queue(output, std::move(envelope));
    }
    // The envelope that is emitted next has one row, which stands for so many.
    void stand_for(std::uint64_t rows) { rows_given_ += rows - 1; }
    [[nodiscard]] std::size_t outputs() const { return outputs_.size(); }
    [[nodiscard]] Edge& output(std::size_t number) const { return *outputs_[number]; }
    // In the constructor of a box that may say Step::Wait: what wakes it. A member of the query object, say; it lives
    // longer than that.
    void wait_by(TaskWaker& waker) { waker_ = &waker; }
    // Starts a task of the box's own, which has not been started before, on this core or another one of the node
    // (box_task.hpp). In a run of the box; never blocks.
    void start(CoreScheduler& here, BoxTask& task);
    // In a run of the box: a task has not ended. No: all that they have written can be read.
    [[nodiscard]] bool has_tasks() const { return tasks_.load(std::memory_order_acquire) != 0; }
    [[nodiscard]] Query& query() const { return static_cast<Query&>(request()); }

  private:
    friend class BoxTask;
    friend class MonitoredWork;
    void emit_to_all(EnvelopePointer envelope);
    void queue(std::size_t output, EnvelopePointer envelope) {
        Envelope* const added = envelope.release();
        added->output = static_cast<std::uint32_t>(output);
        added->next = nullptr;
        (last_waiting_ != nullptr ? last_waiting_->next : first_waiting_) = added;
        last_waiting_ = added;
    }
    void note_task_end(CoreScheduler& here);
    [[nodiscard]] bool is_cancelled();
    static Outcome run_turn(CoreScheduler& here, ReschedulableTask& task);
    static Outcome run_monitored_turn(CoreScheduler& here, ReschedulableTask& task);
    Outcome turn(CoreScheduler& here);
    void attach_waker();
    void note_waiting(bool waits);
    Outcome end_turn(CoreScheduler& here);
    Result<Step> work(CoreScheduler& here);
    Result<Step> read(CoreScheduler& here);
    [[nodiscard]] bool follow_request(CoreScheduler& here);
    [[nodiscard]] std::size_t choose_input() const;
    EnvelopePointer take(CoreScheduler& here, Edge& input);
    void tell_sender(CoreScheduler& here);
    [[nodiscard]] bool send(CoreScheduler& here);
    [[nodiscard]] bool is_unwanted() const;
    void end_outputs(CoreScheduler& here);
    Outcome discard_inputs(CoreScheduler& here);
    [[nodiscard]] bool has_something_to_do() const;

    // Its query cannot go on.
    void fail(Error const& error);

    std::string_view name_;
    std::uint32_t number_ = 0; // of the model's boxes
    std::span<Edge*> inputs_;
    std::span<Edge*> outputs_;
    Envelope* first_waiting_ = nullptr; // to be sent
    Envelope* last_waiting_ = nullptr;
    std::uint64_t rows_given_ = 0;
    std::uint64_t rows_noted_ = 0;  // of these, by the query's monitor
    std::uint32_t inputs_over_ = 0; // whose end was noted
    mutable std::uint32_t last_input_ = 0;
    Edge* taken_from_ = nullptr; // in this turn, and its sender is still to be told
    bool has_fenced_ = false;    // since
    NodeId home_;                // where what it keeps lies
    bool is_done_ = false;
    bool are_outputs_ended_ = false;
    bool awaits_tasks_ = false;
    bool waits_ = false;                  // by its waker
    std::atomic<std::uint32_t> tasks_{0}; // started and not ended
    TaskWaker* waker_ = nullptr;
};

inline Error no_memory_for_envelopes() {
    return Error("out of memory: no room for an envelope");
}

} // namespace mxk::dataflow
