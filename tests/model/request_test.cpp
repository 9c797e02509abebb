// How cores queue unbound tasks of requests, take them, and sleep when there are none, while requests begin, are moved
// to another node, shared, and end (request_place.hpp, request_queue.hpp, node_scheduler.cpp, request_core.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/attention.hpp"
#include "base/spin_wait.hpp"
#include "tasks/dataflow/scheduler.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using dataflow::Binding;
using dataflow::CoreScheduler;
using dataflow::NodeScheduler;
using dataflow::Outcome;
using dataflow::Request;
using dataflow::RequestCore;
using dataflow::RequestPlace;
using dataflow::ReschedulableTask;
using dataflow::Scheduler;

// Each thread is a core. Each request has one task, which runs once.
class RequestsUse {
  public:
    static constexpr std::size_t max_requests = 4;
    struct Shape {
        std::vector<std::uint16_t> nodes{0, 0}; // of each core
        std::size_t served = 1;                 // requests that have begun, at node 0
        std::size_t waiting = 0;                // more, which have not
        std::size_t later = 0;                  // more, which nobody has submitted
        std::vector<std::size_t> queued{};      // of the served: their task waits, unbound
        std::size_t places = 1;
        bool is_shared = false;   // the first with node 1
        bool has_two = false;     // tasks: the first
        bool first_waits = false; // for all other tasks, in its task
        dataflow::Discipline discipline = dataflow::Discipline::Requests;
        bool is_long = false;  // as ProtocolUse
        bool is_large = false; // the same
    };
    using Thread = std::function<void(RequestsUse&)>;

    ProtocolUse use(std::string name, Shape shape, std::vector<Thread> threads) {
        ModelProgram program;
        program.begin = [this, shape] { begin(shape); };
        for (Thread const& thread : threads) program.threads.emplace_back([this, thread] { thread(*this); });
        program.end = [this] { end(); };
        return {std::move(name), std::move(program), 0, shape.is_long, shape.is_large};
    }

    void schedule(std::size_t request, Binding binding) {
        task_[request]->schedule(mine(), binding);
        note(mine().bound_tasks());
    }
    // Its source works from now on, or waits.
    void works(std::size_t request, bool is_first) { request_[request]->place()->note_sources(1, is_first ? 0 : -1); }
    void waits(std::size_t request) { request_[request]->place()->note_sources(-1, 1); }
    void note_room(std::uint16_t place) { note(node(place).has_room() ? 1 : 0); }
    void comes_last(std::size_t task) { task_[task]->set_comes_last(true); }
    // The core does something else from now on.
    void stop_looking() { mine().stop_looking(); }
    // With its next task.
    void goes_on() { mine().look_before_next(); }
    // As a worker does, until so many tasks have run.
    void serve(std::uint32_t tasks) {
        RequestCore& core = mine();
        SpinWait wait;
        while (done_->load(std::memory_order_relaxed) < tasks) {
            if (core.run(worker())) continue;
            if (core.begin_sleep()) {
                note(50);
                arch::halt_until_attention();
                static_cast<void>(arch::take_attention());
                core.end_sleep();
                continue;
            }
            wait.turn();
        }
    }
    // A task that waits at a node, if there is one.
    void take(std::uint16_t place) {
        ReschedulableTask* const task = node(place).take_unbound();
        note_taken(task);
        if (task == nullptr) return;
        if (task->is_counted()) node(task->responsible_node()).activity.remove(1);
    }
    void look() { note(node(0).has_unbound_tasks() ? 1 : 0); }
    void count() { note(node(0).unbound_tasks()); }
    void admit(std::uint16_t place = 0) {
        begins(node(place).admit([&](Request& first) { return scheduler_->open_place(first, place); }), place);
    }
    void take_youngest() { begins(node(0).take_youngest()); }
    void no_memory() { model_memory_is_out = true; }
    void submit(std::size_t request, std::uint16_t place = 0) {
        node(place).add_tasks(1, [&] { node(place).append(*request_[request]); });
    }
    void note_due(std::uint16_t place) { note(node(place).is_own_request_due() ? 1 : 0); }
    // The task runs; behind its last one, the request's place may be another's.
    void end(std::size_t task) { task_[task]->execute(mine()); }
    void move(std::size_t request, std::uint16_t from, std::uint16_t to) {
        SpinLock& lock = scheduler_->balancer().lock;
        lock.lock();
        note(NodeScheduler::move(*request_[request], node(from), node(to), [] {}) ? 1 : 0);
        note(node(to).guests());
        note(index(request_[request]->home()));
        lock.unlock();
    }
    void share(std::size_t request, std::uint16_t to) {
        SpinLock& lock = scheduler_->balancer().lock;
        lock.lock();
        note(NodeScheduler::share(*request_[request], node(to)) ? 1 : 0);
        note(node(to).guests());
        lock.unlock();
    }
    // As the balancer says of one that it has moved before it began.
    void has_waited_at(std::size_t request, std::uint16_t place) { request_[request]->waited_at = place; }
    void deal() { note(request_[0]->place()->deal_node()); }
    void note_only_of(std::uint16_t place) { note(request_[0]->place()->is_only_of(place) ? 1 : 0); }

  private:
    void begin(Shape const& shape) {
        current_ = this;
        shape_ = shape;
        arch::make_model_cores(shape.nodes.size());
        scheduler_ = ModelMemory::make<Scheduler>(dataflow::SchedulerOptions{.discipline = shape.discipline});
        make_nodes(shape);
        core_.clear();
        worker_.clear();
        for (std::size_t i = 0; i < shape.nodes.size(); ++i) make_core(shape, i);
        done_ = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
        request_.clear();
        task_.clear();
        runs_.clear();
        begins_.clear();
        ends_ = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
        for (std::size_t i = 0; i < shape.served + shape.waiting + shape.later; ++i) {
            request_.push_back(ModelMemory::make<Request>(&RequestsUse::begin_request, &RequestsUse::end_request));
            request_[i]->set_scheduler(*scheduler_);
            make_task(i);
            begins_.push_back(ModelMemory::make<ModelPlain<std::uint32_t>>(0U));
            if (i < shape.served + shape.waiting) submit(i);
            if (i < shape.served) admit(), *begins_[i] = 0U;
        }
        if (shape.has_two) make_task(0), request_[0]->add_task();
        if (shape.is_shared) share(0, 1);
        AsModelThread const first(1);
        for (std::size_t const request : shape.queued) schedule(request, Binding::Unbound);
    }
    void make_task(std::size_t request) {
        task_.push_back(ModelMemory::make<ReschedulableTask>(*request_[request], &RequestsUse::body, CoreId{}));
        runs_.push_back(ModelMemory::make<ModelPlain<std::uint32_t>>(0U));
    }
    void make_nodes(Shape const& shape) {
        std::size_t const nodes = shape.nodes.back() + 1U;
        auto* const first =
            static_cast<NodeScheduler*>(ModelMemory::allocate(nodes * sizeof(NodeScheduler), alignof(NodeScheduler)));
        for (std::uint16_t i = 0; i < nodes; ++i) {
            auto sleepers = dataflow::Sleepers::create(shape.nodes.size(), NodeId{}).value();
            for (std::size_t core = 0; core < shape.nodes.size(); ++core)
                if (shape.nodes[core] == i) sleepers.add(core_id(core));
            new (first + i) NodeScheduler(i, NodeId{i}, std::move(sleepers),
                                          dataflow::RequestQueue::create(shape.places, NodeId{}).value());
        }
        scheduler_->all_nodes = {first, nodes};
        for (std::size_t i = 0; i < shape.places; ++i) {
            auto* const at = static_cast<RequestPlace::AtNode*>(
                ModelMemory::allocate(nodes * sizeof(RequestPlace::AtNode), alignof(RequestPlace::AtNode)));
            for (std::size_t node = 0; node < nodes; ++node) new (at + node) RequestPlace::AtNode();
            scheduler_->free_places.give(*ModelMemory::make<RequestPlace>(std::span(at, nodes)));
        }
    }
    void make_core(Shape const& shape, std::size_t at) {
        auto victims = NodeVector<RequestCore::Victim>::create(shape.nodes.size(), NodeId{}).value();
        std::size_t sleep_place = 0;
        for (std::size_t i = 0; i < shape.nodes.size(); ++i) {
            if (i == at || shape.nodes[i] != shape.nodes[at]) continue;
            victims.emplace(core_id(i));
            sleep_place += i < at ? 1 : 0;
        }
        worker_.push_back(ModelMemory::make<Worker>(core_id(at)));
        core_.push_back(ModelMemory::make<RequestCore>(*scheduler_, *worker_[at], at, node(shape.nodes[at]),
                                                       sleep_place, dataflow::BoundStack::create(NodeId{}).value(),
                                                       std::move(victims)));
        scheduler_->cores.at(at) = core_[at];
    }

    void note_taken(ReschedulableTask const* task) {
        note(task != nullptr ? 1 + number_of(*task) : 0);
        if (task != nullptr) *runs_[number_of(*task)] += 1;
    }
    void begins(Request* request, std::uint16_t place = 0) {
        auto const at = static_cast<std::size_t>(std::ranges::find(request_, request) - request_.begin());
        note(request != nullptr ? 1 + at : 0);
        if (request == nullptr) return;
        *begins_[at] += 1; // two cores would race
        node(place).activity.remove(1);
    }
    static void begin_request(CoreScheduler& /*here*/, Request& /*request*/) {}
    // All that its tasks have done is seen.
    static void end_request(CoreScheduler& /*here*/, Request& request) {
        if (&request == current_->request_[0]) *current_->ends_ += 1;
        for (NodeScheduler const& node : current_->scheduler_->all_nodes) note(node.guests());
        for (std::size_t i = 0; i < current_->task_.size(); ++i)
            if (&current_->task_[i]->request() == &request) note(current_->runs_[i]->read());
    }
    static Outcome body(CoreScheduler& /*here*/, ReschedulableTask& task) { return current_->run(task); }
    Outcome run(ReschedulableTask const& task) {
        std::size_t const number = number_of(task);
        *runs_[number] += 1;
        if (shape_.first_waits && number == 0)
            for (SpinWait wait; done_->load(std::memory_order_relaxed) + 1 < task_.size();) wait.turn();
        bool const is_last = done_->fetch_add(1, std::memory_order_relaxed) + 1 == task_.size();
        if (shape_.first_waits && is_last) arch::wake(core_id(2 - model_self())); // it may end, too
        return Outcome::Ended;
    }
    [[nodiscard]] std::size_t number_of(ReschedulableTask const& task) const {
        return static_cast<std::size_t>(std::ranges::find(task_, &task) - task_.begin());
    }

    // What is left can be found, and nothing is counted that is not there.
    void end() {
        WeakMemory& memory = WeakMemory::current();
        for (RequestCore* core : core_)
            while (ReschedulableTask const* const task = core->steal_oldest()) note_taken(task);
        for (NodeScheduler& each : scheduler_->all_nodes) {
            for (std::size_t tasks = 0; tasks <= task_.size(); ++tasks) take(each.place());
            for (std::size_t waits = 0; waits <= request_.size(); ++waits) begins(each.take_youngest(), each.place());
            dataflow::ActivityCounts const counts = each.activity.counts();
            memory.check(counts.tasks == 0, "tasks are counted that are not there");
            memory.check(each.unbound_tasks() == 0 && each.waiting() == 0, "something is left");
            note(each.active());
            note(counts.free);
            note(counts.awake);
        }
        for (std::size_t i = 0; i < task_.size(); ++i)
            memory.check(task_[i]->is_idle() || runs_[i]->read() == 1, "a task is lost, or runs twice");
        for (ModelPlain<std::uint32_t>* begun : begins_) note(begun->read());
        note(ends_->read());
    }

    [[nodiscard]] RequestCore& mine() const { return *core_.at(model_self() - 1); }
    [[nodiscard]] Worker& worker() const { return *worker_.at(model_self() - 1); }
    [[nodiscard]] NodeScheduler& node(std::uint16_t place) const { return scheduler_->node(place); }

    static inline RequestsUse* current_ = nullptr;
    Shape shape_;
    Scheduler* scheduler_ = nullptr;
    std::vector<Worker*> worker_;
    std::vector<RequestCore*> core_;
    std::vector<Request*> request_;
    std::vector<ReschedulableTask*> task_;
    std::vector<ModelPlain<std::uint32_t>*> runs_;
    std::vector<ModelPlain<std::uint32_t>*> begins_; // while the threads run
    ModelPlain<std::uint32_t>* ends_ = nullptr;      // of the first; two cores would race
    ModelAtomic<std::uint32_t>* done_ = nullptr;     // tasks that a core has run
};

constexpr char const* hint = "a moment's word, which append() checks under the lock";
constexpr char const* locked = "kept: what is in a place is read under its lock; it costs nothing";
constexpr char const* guess = "of is_left_alone(), a guess";
constexpr char const* sleep = "of cores that sleep, below";
constexpr char const* saves = "a look that saves the lock";

TEST(Model, RequestQueues) {
    using enum Binding;
    using Use = RequestsUse;
    Use use;
    auto const asks = [](Use& by) { by.schedule(0, Unbound); };
    auto const takes = [](std::uint16_t node) { return [node](Use& by) { by.take(node); }; };
    auto const moves = [](Use& by) { by.move(0, 0, 1); };
    auto const shares = [](Use& by) { by.share(0, 1); };
    auto const ends = [](std::size_t task) { return [task](Use& by) { by.end(task); }; };
    auto const looks = [](Use& by) { by.look(); };
    auto const admits = [](Use& by) { by.admit(); };
    std::vector<std::uint16_t> const two{0, 1};
    std::vector<std::uint16_t> const three{0, 1, 2};
    Protocol("requests of nodes")
        .use(use.use("queued and taken", {}, {asks, takes(0)}))
        .use(use.use("two take one", {.queued = {0}}, {takes(0), takes(0)}))
        .use(use.use("two take two", {.served = 2, .queued = {0, 1}, .places = 2}, {takes(0), takes(0)}))
        .use(use.use("nothing is queued", {}, {looks, looks}))
        .use(use.use("moved while a task comes", {.nodes = two}, {asks, moves}))
        .use(use.use("moved while a task is taken", {.nodes = two, .queued = {0}}, {takes(0), moves}))
        .use(use.use("taken where it is moved to", {.nodes = two, .queued = {0}}, {takes(1), moves}))
        .use(use.use("moved there and not back", {.nodes = two}, {moves, [](Use& by) { by.move(0, 1, 0); }}))
        .use(use.use("is elsewhere", {.nodes = three}, {[](Use& by) { by.move(0, 1, 2); }}))
        .use(use.use("moved, not shared back, ends", {.nodes = two}, {[](Use& by) {
                         by.move(0, 0, 1), by.note_only_of(0), by.note_only_of(1), by.share(0, 0), by.end(0);
                     }}))
        .use(use.use("waited there", {.nodes = two, .served = 0, .waiting = 1},
                     {[](Use& by) { by.has_waited_at(0, 1), by.admit(), by.move(0, 0, 1); }}))
        .use(use.use("moved while it ends", {.nodes = two}, {ends(0), moves}))
        .use(use.use("shared while a task comes", {.nodes = two}, {asks, shares}))
        .use(use.use("shared, taken by both", {.nodes = two, .queued = {0}}, {takes(0), takes(1), shares}))
        .use(use.use("shared and moved", {.nodes = two}, {shares, moves}))
        .use(use.use("shared, dealt", {.nodes = three, .is_shared = true},
                     {[](Use& by) { by.note_only_of(0), by.note_only_of(1), by.deal(), by.deal(), by.deal(); }}))
        .use(use.use("shared, ends", {.nodes = two, .is_shared = true}, {ends(0)}))
        .use(use.use("one begins beside a guest", {.nodes = two, .later = 2, .places = 3, .is_shared = true},
                     {[](Use& by) {
                         by.note_due(1), by.submit(1, 1), by.note_due(1), by.note_due(0), by.admit(1), by.note_due(1),
                             by.submit(2, 1), by.note_due(1), by.admit(1), by.end(1);
                     }}))
        .use(use.use("a guest moves on and ends", {.nodes = three, .is_shared = true},
                     {[](Use& by) { by.move(0, 1, 2), by.end(0); }}))
        .use(use.use("guests come last", {.nodes = two, .later = 1, .queued = {0}, .places = 2, .is_shared = true},
                     {[](Use& by) { by.submit(1, 1), by.admit(1), by.schedule(1, Unbound), by.take(1), by.take(1); }}))
        .use(use.use("one comes last", {.has_two = true}, {[](Use& by) {
                         by.comes_last(0), by.schedule(0, Unbound), by.schedule(1, Unbound), by.take(0), by.take(0);
                     }}))
        .use(use.use("moved, comes last", {.nodes = two},
                     {[](Use& by) { by.comes_last(0), by.schedule(0, Unbound), by.move(0, 0, 1), by.take(1); }}))
        .use(use.use("one rests, another one begins", {.nodes = {0}, .waiting = 1, .places = 2}, {[](Use& by) {
                         by.works(0, true), by.admit(), by.note_room(0), by.waits(0), by.note_room(0),
                             by.works(0, false), by.admit(), by.note_room(0), by.waits(0), by.admit(), by.note_room(0);
                     }}))
        .use(use.use("one rests and ends, its place is another's", {.nodes = {0}, .waiting = 1},
                     {[](Use& by) { by.works(0, true), by.waits(0), by.end(0), by.admit(), by.note_room(0); }}))
        .use(use.use("a guest rests", {.nodes = two, .later = 2, .places = 3, .is_shared = true}, {[](Use& by) {
                         by.works(0, true), by.waits(0), by.submit(1, 1), by.admit(1), by.submit(2, 1), by.admit(1);
                     }}))
        .use(use.use("one waits, and there is no guest", {.nodes = two, .later = 1},
                     {[](Use& by) { by.submit(1, 1), by.note_due(1); }}))
        .use(use.use("counted there, moved on", {.nodes = three, .is_shared = true},
                     {[](Use& by) { by.schedule(0, Unbound), by.move(0, 1, 2), by.take(2); }}))
        .use(use.use("counted there, moved from here", {.nodes = three, .is_shared = true},
                     {[](Use& by) { by.schedule(0, Unbound), by.move(0, 0, 2), by.take(1); }}))
        .use(use.use("one ends, the other is looked for", {.served = 2, .queued = {1}, .places = 2}, {ends(0), looks}))
        .use(use.use("one of three ends, the second is looked for",
                     {.nodes = {0, 0, 0}, .served = 3, .queued = {1}, .places = 3}, {ends(0), looks}))
        .use(use.use("one ends, tasks are counted", {.served = 2, .queued = {1}, .places = 2},
                     {ends(0), [](Use& by) { by.count(); }}))
        .use(use.use("one ends, another one is taken", {.served = 2, .queued = {1}, .places = 2}, {ends(0), takes(0)}))
        .use(use.use("the second ends", {.served = 2, .queued = {0}, .places = 2}, {ends(1), takes(0)}))
        .use(use.use("two tasks end", {.has_two = true}, {ends(0), ends(1)}))
        .use(use.use("one begins where another one ends", {.waiting = 1}, {ends(0), admits}))
        .use(use.use("no more than cores", {.nodes = {0}, .waiting = 1, .places = 2}, {admits}))
        .use(use.use("two begin one", {.served = 0, .waiting = 1, .places = 2}, {admits, admits}))
        .use(use.use("two wait", {.served = 0, .waiting = 2, .places = 2},
                     {admits, [](Use& by) { by.take_youngest(); }}))
        .use(use.use("three wait", {.served = 0, .waiting = 3},
                     {[](Use& by) { by.take_youngest(), by.take_youngest(), by.take_youngest(), by.take_youngest(); }}))
        .use(use.use("another one comes", {.served = 0, .waiting = 1, .later = 1, .places = 2},
                     {[](Use& by) { by.admit(), by.submit(1), by.admit(); }}))
        .use(use.use("two come", {.served = 0, .later = 2, .places = 2},
                     {[](Use& by) { by.submit(0), by.submit(1), by.admit(), by.admit(); }}))
        .use(use.use("moved on while a task comes", {.nodes = three, .is_shared = true},
                     {asks, [](Use& by) { by.move(0, 1, 2); }}))
        .use(use.use("a stack that cannot grow", {.nodes = {0, 0, 0}, .served = 3, .places = 3}, {[](Use& by) {
                         by.schedule(0, Bound), by.schedule(1, Bound), by.no_memory(), by.schedule(2, Bound),
                             by.count();
                     }}))
        .check({"request_place,", "request_queue,", "node_scheduler,", "request, end_task", "request_core, enqueue"},
               {{"node_scheduler, add_tasks() condition: never", sleep},
                {"node_scheduler, pay() condition*", sleep},
                {"node_scheduler, admit() condition 1: never", saves},
                {"node_scheduler, has_room() condition 1: never", "counts those that rest, which costs more"},
                {"node_scheduler, note_active() condition*", "for display"},
                {"node_scheduler, note_active() store 2*", "for display"},
                {"node_scheduler, take_youngest() condition 2: always", "looks along the list, and finds the same"},
                {"request_core, enqueue_for() condition: never", "counts it anew, which changes nothing"},
                {"request_core, enqueue_here() condition 2*", sleep},
                {"request_core, enqueue_unbound() condition 1: always", "of other disciplines"},
                {"request_core, enqueue_unbound() condition 2*", sleep},
                {"request_place, append() condition 1: never", sleep},
                {"request_place, append() store: without release", locked},
                {"request_place, count_holders() store 2: without release", hint},
                {"request_place, deal_node() condition: never", saves},
                {"request_place, deal_node() load 1: without acquire", hint},
                {"request_place, is_only_of() load 1: without acquire", hint},
                {"request_place, move() condition 1: always", "a closed place has no holders"},
                {"request_place, move_tasks() condition 1: never", sleep},
                {"request_place, move_tasks() condition 2: always", sleep},
                {"request_place, next_holder() condition 1: always", "there is a holder"},
                {"request_place, open() condition: always", "writes behind the nodes, where nobody looks here"},
                {"request_place, open() store 1: left out", guess},
                {"request_place, take() condition 1: always", "takes what has just gone, for the other node"},
                {"request_place, take() store 2: left out", guess},
                {"request_place, tasks() load: without acquire", locked},
                {"request_queue, add() store: without release", locked},
                {"request_queue, remove() condition 1: always", "is served here, or the kernel panics"},
                {"request_queue, remove() condition 3: never", "is served here, or the kernel panics"},
                {"request_queue, take() condition 2: always", "looks once more"},
                {"request_queue, take_of() condition 1: always", "the last slot is null"},
                {"request_queue, take_of() condition 3: never", saves},
                {"request_queue, take_of() load: without acquire", locked},
                {"request_queue, resting() load: without acquire", locked},
                {"request_queue, tasks() load: without acquire", locked}});
}

constexpr char const* sleeps_again = "of a core that sleeps again at once, or of two: sleep_model_test has every state";

TEST(Model, RequestSleep) {
    using enum Binding;
    using Use = RequestsUse;
    Use use;
    auto const busy = [](Binding binding) {
        return [binding](Use& by) { by.stop_looking(), by.schedule(0, binding), by.goes_on(); };
    };
    auto const serves = [](std::uint32_t tasks) { return [tasks](Use& by) { by.serve(tasks); }; };
    auto const asks = [](Use& by) { by.schedule(0, Unbound), by.goes_on(); };
    auto const moves = [](Use& by) { by.move(0, 0, 1); };
    std::vector<std::uint16_t> const two{0, 1};
    Protocol("cores that sleep")
        .use(use.use("a bound task of a busy core", {}, {busy(Bound), serves(1)}))
        .use(use.use("an unbound task of a busy core", {}, {busy(Unbound), serves(1)}))
        .use(use.use("a task of the node", {.discipline = dataflow::Discipline::OneFifo}, {busy(Unbound), serves(1)}))
        .use(use.use("mail", {.is_large = true},
                     {[](Use& by) { arch::wake(core_id(1)), by.stop_looking(), by.schedule(0, Bound), by.goes_on(); },
                      serves(1)}))
        .use(use.use("shared with a node that sleeps", {.nodes = two, .is_shared = true}, {busy(Unbound), serves(1)}))
        .use(use.use("moved to a node that sleeps", {.nodes = two, .queued = {0}}, {moves, serves(1)}))
        .use(use.use("moved there while a task comes", {.nodes = two, .is_long = true}, {asks, serves(1), moves}))
        .use(use.use("a long task, another one waits",
                     {.served = 2, .queued = {0, 1}, .places = 2, .first_waits = true, .is_large = true},
                     {serves(2), serves(2)}))
        .use(use.use("one ends, a busy core has queued for the other", {.served = 2, .places = 2, .is_large = true},
                     {[](Use& by) { by.stop_looking(), by.schedule(1, Unbound), by.end(0), by.goes_on(); }, serves(2)}))
        .check({"request_core, begin_sleep", "request_core, end_sleep", "request_core, is_nothing_queued",
                "request_core, look_", "request_core, needs_waking", "request_core, offer_help",
                "request_core, wake_for_the_rest", "request_core, enqueue_here() condition 2",
                "request_core, enqueue_unbound() condition 2", "node_scheduler, add_tasks", "node_scheduler, pay",
                "request_place, append() condition 1", "request_place, move() condition 4",
                "request_place, move_tasks() condition 1"},
               {{"request_core, begin_sleep() condition 1: never", "long: looks once more before it sleeps"},
                {"request_core, end_sleep() condition 1: never", "finds it by the counts, too"},
                {"request_core, end_sleep() condition 3: always", sleeps_again},
                {"request_core, end_sleep() condition 4: never", sleeps_again},
                {"request_core, enqueue_here() condition 2: always", "asks under a fence, which costs more"},
                {"request_core, enqueue_unbound() condition 2: never", "counts it, which costs more"},
                {"request_core, look_at_sleepers() condition: always", "looks once more"},
                {"request_core, look_before_next() condition: never", "a fence, which costs more"},
                {"request_core, needs_waking() condition*", "asks, which costs more"},
                {"request_core, offer_help() condition*", "asks before the next task, too"},
                {"request_core, wake_for_the_rest() condition*", "long: of two long tasks"},
                {"request_place, move() condition 4: always", "of requests of nodes, above"},
                {"request_place, append() condition 1: never", "long: moved there while a task comes"}});
}

} // namespace
} // namespace mxk::test
