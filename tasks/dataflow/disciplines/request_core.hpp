// A core that takes bound tasks from its own stack, unbound ones from queues of its node, and steals before it begins a
// request: the disciplines Requests, TwoFifos, OneFifo and OneLifo (scheduler.hpp), which differ in the queues.
#pragma once

#include <cstdint>
#include <utility>

#include "arch/attention.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/dataflow/bound_stack.hpp"
#include "tasks/dataflow/core_scheduler.hpp"
#include "tasks/dataflow/help_estimate.hpp"
#include "tasks/dataflow/node_scheduler.hpp"
#include "tasks/queue/work_source.hpp"

namespace mxk::dataflow {

class RequestCore final : public CoreScheduler, public WorkSource {
  public:
    // Tasks between two looks at the worker's own FIFO.
    static constexpr unsigned turn_tasks = 32;
    // A core that has work of its own request leaves that for unbound tasks which nobody has come to for so long: far
    // longer than the envelopes of both requests, of up to 200 KiB each, need to come into other cores' caches.
    static constexpr Nanoseconds left_alone_after{10'000'000};

    // Another core, whose tasks this one may take.
    struct Victim {
        CoreId core;
        HelpEstimate help{};
    };

    // `sleep_place`: where it stands in the node's order of waking. `victims`: in the order in which it steals.
    RequestCore(Scheduler& scheduler, Worker& worker, std::size_t place, NodeScheduler& node, std::size_t sleep_place,
                BoundStack stack, NodeVector<Victim> victims);

    void enqueue(ReschedulableTask& task, Binding binding) override;

    bool run(Worker& worker) override;
    bool has_work() override;
    bool begin_sleep() override;
    void end_sleep() override;

    // Any core.
    ReschedulableTask* steal_oldest() { return stack_.steal_oldest(); }
    [[nodiscard]] std::size_t bound_tasks() const { return stack_.size(); }
    // This core, in a task of its worker's own FIFO: does not count as free until it looks for work again. Who counts
    // as free and does not look lets the others sleep.
    void stop_looking() {
        if (!is_working_) begin_work(0);
    }
    // This core, between two tasks: wakes one that sleeps for what the last one has queued, if none looks for work.
    void look_before_next();
    [[nodiscard]] std::span<Victim const> victims() const { return victims_.span(); }

  private:
    ReschedulableTask* next();
    ReschedulableTask* run_one(ReschedulableTask& task, bool takes_next);
    void queue_again(ReschedulableTask& task, Outcome outcome, bool takes_next);
    ReschedulableTask* take_unbound();
    ReschedulableTask* take_from_requests();
    ReschedulableTask* take_shared();
    // It works for that request from now on.
    void go_to(RequestPlace& its_place);
    [[nodiscard]] bool stays();
    ReschedulableTask* steal();
    ReschedulableTask* begin_request();
    ReschedulableTask* admit();
    ReschedulableTask* take_beginning();
    void enqueue_unbound(ReschedulableTask& task);
    void enqueue_here(ReschedulableTask& task, RequestPlace& place);
    void enqueue_for(ReschedulableTask& task, NodeScheduler& node, RequestPlace& place);
    void pass_on(std::uint16_t responsible);
    // Another core sleeps, and none looks for work; a moment's word.
    [[nodiscard]] bool needs_waking() const {
        ActivityCounts const now = node_.activity.counts();
        return now.free == 0 && now.awake != node_.activity.cores();
    }
    // It has queued a task, which the node's word does not count.
    void offer_help() {
        has_offered_ = true;
        if (needs_waking()) [[unlikely]]
            ask_for_help();
    }
    void ask_for_help();
    void look_at_sleepers();
    [[nodiscard]] bool finds_work(Cycles now);
    [[nodiscard]] bool helps_with_unbound(Cycles now);
    void look_for_left_alone(Cycles now);
    [[nodiscard]] bool helps(Victim& victim, Cycles now);
    // It has something to do now; `taken`: tasks of the node's count.
    void begin_work(std::int32_t taken);
    void wake_for_the_rest();
    [[nodiscard]] bool is_nothing_queued() const;
    [[nodiscard]] RequestCore& at(Victim const& victim) const;
    [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(place()); }

    NodeScheduler& node_;
    std::size_t sleep_place_;
    BoundStack stack_;
    NodeVector<Victim> victims_;
    HelpEstimate unbound_help_;
    StayEstimate stay_;
    std::uint32_t looks_series_ = 1;     // of looks at others: a new one whenever it has got nothing to do
    RequestPlace* own_place_ = nullptr;  // of the request whose unbound tasks it took last
    RequestPlace* left_alone_ = nullptr; // the next unbound task is to be from there
    Cycles patience_;
    Cycles left_alone_after_;
    Cycles looked_for_left_alone_{};
    Cycles looked_{};     // for work, while it polls
    Cycles look_every_{}; // longer and longer, while there is none: a look costs who has work
    bool const scans_under_lock_;
    bool has_offered_ = false;   // since look_at_sleepers()
    bool takes_it_next_ = false; // the task that it is queueing
    bool has_seen_work_ = false;
    bool is_working_ = false; // it is not counted as free
};

} // namespace mxk::dataflow
