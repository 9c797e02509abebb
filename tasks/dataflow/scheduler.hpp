// A scheduler of requests over some cores, besides their FIFOs: tasks that follow their data depth-first, stealing
// inside a node, requests that begin only when nothing else is to be done, and nodes that balance (Falt 2010, chapters
// 5 and 6). Other disciplines in its place, to compare with.
//
//     auto scheduler = MXK_TRY(Scheduler::create(cores, {}));     a thread, or the console's task
//     scheduler->submit(request);                                 any core or thread
//     request.wait();                                             that one, or another
//
// - Requests: bound tasks on the core's own stack, which others of its node steal from; unbound ones in a FIFO for each
//   request; a request begins when nothing else is to be done.
// - TwoFifos: the same, but one FIFO of unbound tasks for the node.
// - OneFifo: one FIFO for the node, with beginnings of requests among the unbound tasks, in their turn.
// - OneLifo: the same as a stack, so a request begins at once.
// - Original: own stack, never stolen from; own FIFO, stolen as a whole; requests begin at once, on the cores in turn.
// - CoreFifo: all tasks in the worker's own FIFO, of the core that the task belongs to; begins as with Original.
//
// Requests is the thesis' new scheduler, Original the one it replaces (section 5.3, with a semaphore that counts the
// FIFOs that are not empty), CoreFifo what MxTasks do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/lock_rank.hpp"
#include "base/locked_stack.hpp"
#include "kernel/memory/node_object.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/topology/topology.hpp"
#include "tasks/dataflow/activity.hpp"
#include "tasks/dataflow/balancer.hpp"
#include "tasks/dataflow/core_orders.hpp"
#include "tasks/dataflow/core_scheduler.hpp"
#include "tasks/dataflow/disciplines/core_fifo.hpp"
#include "tasks/dataflow/disciplines/original.hpp"
#include "tasks/dataflow/disciplines/request_core.hpp"
#include "tasks/dataflow/node_choice.hpp"
#include "tasks/dataflow/node_scheduler.hpp"
#include "tasks/dataflow/request.hpp"
#include "tasks/dataflow/request_place.hpp"

namespace mxk::dataflow {

enum class Discipline : std::uint8_t { Requests, TwoFifos, OneFifo, OneLifo, Original, CoreFifo };

struct SchedulerOptions {
    Discipline discipline = Discipline::Requests;
    SleepRule sleep_rule = SleepRule::Strict;
    // Cores look for unbound tasks under their node's lock, for comparison. Requests only.
    bool scans_under_lock = false;
    bool reruns_bound = false; // what was asked for while it ran keeps its binding, as in the original scheduler
    bool steals_first = false; // before unbound tasks are looked for
    // A core without work leaves others' tasks to them as long as they run them themselves within this time
    // (help_estimate.hpp). 0: it takes them at once, as in the thesis.
    Nanoseconds patience{4'000};
    VictimOrder victims = VictimOrder::NearestFirst;
    bool chooses_node = true; // else all requests go to the first node
    bool balances = true;     // between nodes
    Nanoseconds balance_every{100'000'000};
    // A node that has no request serves another's only one, from the moment on when that is so; else the balancer sees
    // to it after some looks, as in the thesis. No part of it without `balances`.
    bool shares_at_once = true;
    // nodes x nodes of the machine, row: the cores' node, column: the memory's, 10: the nearest; measured
    // (`bench memory`), or empty: the firmware's.
    std::span<std::uint8_t const> distances{};
    std::uint64_t seed = 1;
};

class Scheduler {
  public:
    // On these cores, each once, all of which serve tasks (workers::serves()). A thread or the console's task; waits
    // until the cores have it. One scheduler on a core at a time. Errors: no memory.
    static Result<NodeObject<Scheduler>> create(std::span<CoreId const> cores, SchedulerOptions const& options);
    // For create().
    explicit Scheduler(SchedulerOptions const& options)
        : options_(options)
        , balancer_(*this) {}
    // A thread or the console's task, once all requests have ended; waits until the cores are without it.
    ~Scheduler();
    Scheduler(Scheduler const&) = delete;
    Scheduler& operator=(Scheduler const&) = delete;

    // Any core or thread, also in a task of another request; never blocks, except for short locks. Each request once;
    // it lives until it has ended.
    void submit(Request& request);
    // The same, to that one of nodes(), whatever the options say. Original and CoreFifo have no nodes: they deal it to
    // a core as submit() does.
    void submit_to(std::uint16_t node, Request& request);

    [[nodiscard]] SchedulerOptions const& options() const { return options_; }
    [[nodiscard]] std::size_t cores() const { return by_place_.size(); }
    [[nodiscard]] CoreScheduler& at(std::size_t place) const { return *by_place_[place]; }
    // Of a core that is one of the scheduler's.
    [[nodiscard]] CoreScheduler& of(CoreId core) const { return *by_core_[index(core)]; }
    // The calling core's; null: a thread, or a core that is not one of them.
    [[nodiscard]] CoreScheduler* here() const;
    [[nodiscard]] std::span<NodeScheduler> nodes() const { return nodes_.span(); }
    [[nodiscard]] NodeScheduler& node(std::uint16_t place) const { return nodes_[place]; }
    // How expensive it is for cores of one node to reach memory of another; 10: the nearest.
    [[nodiscard]] std::uint8_t distance(NodeId of_cores, NodeId of_memory) const;
    [[nodiscard]] std::uint8_t distance(NodeScheduler const& of_cores, NodeScheduler const& of_memory) const {
        return distance(of_cores.node(), of_memory.node());
    }
    [[nodiscard]] Balancer& balancer() { return balancer_; }
    // Requests submitted and not ended, and those that have begun among them, now and the highest number so far. Any
    // core; a moment's numbers.
    [[nodiscard]] std::uint32_t unfinished() const { return unfinished_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t active() const { return active_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t max_active() const { return max_active_.load(std::memory_order_relaxed); }

    // For the disciplines. A place for a request that begins on `node`; null: none is free.
    RequestPlace* open_place(Request& request, std::uint16_t node);
    void note_begun();
    // Its last task has ended.
    void end(Request& request, CoreScheduler& here);

  private:
    Result<void> make_nodes(std::span<CoreId const> cores);
    Result<void> make_places(std::size_t count, NodeId node);
    Result<void> make_cores(std::span<CoreId const> cores);
    // Gives its core the scheduler's work source, the second time none.
    struct Visit : Task {
        Visit(CoreId core, WorkSource* its_source);
        WorkSource* source;
        CountDown* done = nullptr;
    };
    void visit_cores();
    std::uint16_t choose_node_for(std::uint64_t random);
    std::uint32_t note_submitted(Request& request);
    void submit_numbered(Request& request, std::uint32_t number, std::uint16_t node);
    static void arrive(Worker& worker, Task& beginning);
    void queue(Request& request, NodeScheduler& node);

    SchedulerOptions options_;
    NodeVector<NodeScheduler> nodes_;
    SpinLock choice_lock_{lock_bands::objects.rank(3)};
    NodeVector<NodeLoad> loads_;               // scratch memory of a choice
    NodeArray<RequestPlace::AtNode> at_nodes_; // nodes for each place
    NodeVector<RequestPlace> places_;
    LockedStack<RequestPlace, &RequestPlace::next_free> free_places_{lock_bands::waking.rank(7)};
    OriginalQueues original_queues_;
    PerCore<RequestCore> request_cores_; // one of the three has something
    PerCore<OriginalCore> original_cores_;
    PerCore<FifoCore> fifo_cores_;
    NodeVector<CoreScheduler*> by_place_;
    NodeVector<CoreScheduler*> by_core_; // null: not one of these cores
    NodeVector<CoreId> core_ids_;
    NodeVector<Visit> visits_;
    bool is_installed_ = false;
    std::atomic<std::uint32_t> unfinished_{0};
    std::atomic<std::uint32_t> active_{0};
    std::atomic<std::uint32_t> max_active_{0};
    std::atomic<std::uint32_t> dealt_{0}; // requests, to cores in turn, and what breaks ties
    Balancer balancer_;
};

} // namespace mxk::dataflow
