#include "tasks/dataflow/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "arch/core_local.hpp"
#include "base/splitmix.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/dataflow/core_orders.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::dataflow {
namespace {

bool are_nodes_one(Discipline discipline) {
    return discipline == Discipline::Original || discipline == Discipline::CoreFifo;
}

Result<NodeVector<CoreId>> cores_of(NodeId node, std::span<CoreId const> cores, CoreId without) {
    auto result = MXK_TRY(NodeVector<CoreId>::create(cores.size(), node));
    for (CoreId const core : cores)
        if (core != without && workers::of(core).node() == node) result.emplace(core);
    return result;
}

constexpr CoreId no_core{UINT32_MAX};

} // namespace

Result<NodeObject<Scheduler>> Scheduler::create(std::span<CoreId const> cores, SchedulerOptions const& options) {
    expect(!cores.empty(), "a scheduler has a core");
    NodeId const home = workers::of(cores[0]).node();
    auto result = MXK_TRY(NodeObject<Scheduler>::create(home, options));
    MXK_TRY(result->make_nodes(cores));
    MXK_TRY(result->make_places(2 * cores.size() + 16, home));
    MXK_TRY(result->make_cores(cores));
    result->visit_cores();
    result->is_installed_ = true;
    return result;
}

Scheduler::~Scheduler() {
    expect(unfinished() == 0, "a scheduler ends after its requests");
    if (is_installed_) visit_cores();
}

Result<void> Scheduler::make_nodes(std::span<CoreId const> cores) {
    auto const all = system_topology().cores;
    nodes_ = MXK_TRY(NodeVector<NodeScheduler>::create(system_topology().nodes.size(), NodeId{}));
    loads_ = MXK_TRY(NodeVector<NodeLoad>::create(system_topology().nodes.size(), NodeId{}));
    for (topology::Node const& node : system_topology().nodes) {
        auto own = MXK_TRY(cores_of(node.id, cores, no_core));
        if (own.size() == 0) continue;
        sort_for_waking(own.span(), all);
        auto sleepers = MXK_TRY(Sleepers::create(own.size(), node.id));
        for (CoreId const core : own) sleepers.add(core);
        auto work = MXK_TRY(RequestQueue::create(2 * cores.size() + 16, node.id));
        loads_.emplace();
        nodes_.emplace(static_cast<std::uint16_t>(nodes_.size()), node.id, std::move(sleepers), std::move(work));
    }
    return {};
}

Result<void> Scheduler::make_places(std::size_t count, NodeId node) {
    at_nodes_ = MXK_TRY(NodeArray<RequestPlace::AtNode>::create_zeroed(count * nodes_.size(), node));
    places_ = MXK_TRY(NodeVector<RequestPlace>::create(count, node));
    for (std::size_t i = 0; i < count; ++i)
        free_places_.give(places_.emplace(at_nodes_.span().subspan(i * nodes_.size(), nodes_.size())));
    return {};
}

Result<void> Scheduler::make_cores(std::span<CoreId const> cores) {
    NodeId const home = workers::of(cores[0]).node();
    core_ids_ = MXK_TRY(NodeVector<CoreId>::create(cores.size(), home));
    by_place_ = MXK_TRY(NodeVector<CoreScheduler*>::create(cores.size(), home));
    by_core_ = MXK_TRY(NodeVector<CoreScheduler*>::create(workers::count(), home));
    visits_ = MXK_TRY(NodeVector<Visit>::create(cores.size(), home));
    while (by_core_.size() < workers::count()) by_core_.emplace(nullptr);
    request_cores_ = MXK_TRY(PerCore<RequestCore>::with_room(cores.size(), home));
    original_cores_ = MXK_TRY(PerCore<OriginalCore>::with_room(cores.size(), home));
    fifo_cores_ = MXK_TRY(PerCore<FifoCore>::with_room(cores.size(), home));
    original_queues_.sleepers = MXK_TRY(Sleepers::create(cores.size(), home));
    for (std::size_t place = 0; place < cores.size(); ++place) {
        CoreId const core = cores[place];
        Worker& worker = workers::of(core);
        core_ids_.emplace(core);
        original_queues_.sleepers.add(core);
        CoreScheduler* made = nullptr;
        WorkSource* source = nullptr;
        if (options_.discipline == Discipline::CoreFifo) {
            made = MXK_TRY(fifo_cores_.add(worker.node(), *this, worker, place, std::uint16_t{0}, false));
        } else if (options_.discipline == Discipline::Original) {
            OriginalCore* const original =
                MXK_TRY(original_cores_.add(worker.node(), *this, worker, place, original_queues_));
            source = original;
            made = original;
        } else {
            NodeScheduler* const node =
                std::ranges::find(nodes_.begin(), nodes_.end(), worker.node(), &NodeScheduler::node);
            std::size_t sleep_place = 0;
            while (node->sleepers.core(sleep_place) != core) ++sleep_place;
            auto others = MXK_TRY(cores_of(worker.node(), cores, core));
            sort_for_stealing(core, others.span(), system_topology().cores, options_.seed, options_.victims);
            auto victims = MXK_TRY(NodeVector<RequestCore::Victim>::create(others.size(), worker.node()));
            for (CoreId const other : others) victims.emplace(other);
            auto stack = MXK_TRY(BoundStack::create(worker.node()));
            RequestCore* const request_core = MXK_TRY(request_cores_.add(
                worker.node(), *this, worker, place, *node, sleep_place, std::move(stack), std::move(victims)));
            source = request_core;
            made = request_core;
        }
        visits_.emplace(core, source);
        by_place_.emplace(made);
        by_core_[index(core)] = made;
    }
    return {};
}

Scheduler::Visit::Visit(CoreId core, WorkSource* its_source)
    : Task(
          [](Worker& worker, Task& task) {
              auto& self = static_cast<Visit&>(task);
              worker.set_work_source(std::exchange(self.source, nullptr));
              self.done->count();
          },
          core)
    , source(its_source) {}

void Scheduler::visit_cores() {
    CountDown done(visits_.size());
    for (Visit& visit : visits_) {
        visit.done = &done;
        send_task(visit, visit.home);
    }
    done.wait();
}

std::uint8_t Scheduler::distance(NodeId of_cores, NodeId of_memory) const {
    std::size_t const nodes = system_topology().nodes.size();
    if (options_.distances.size() != nodes * nodes) return system_topology().distance(of_cores, of_memory);
    return options_.distances[index(of_cores) * nodes + index(of_memory)];
}

std::uint16_t Scheduler::choose_node_for(std::uint64_t random) {
    if (nodes_.size() == 1 || !options_.chooses_node) return 0;
    std::uint8_t fastest = UINT8_MAX;
    for (NodeScheduler const& node : nodes_) fastest = std::min(fastest, distance(node, node));
    choice_lock_.lock();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        NodeScheduler const& node = nodes_[i];
        memory::NodeUse const use = memory::use(node.node());
        loads_[i] = {.waiting = node.waiting(),
                     .unfinished = node.waiting() + node.active(),
                     .cores = node.activity.cores(),
                     .awake = node.activity.counts().awake,
                     .memory_total = use.total,
                     .memory_available = use.total - use.used,
                     .speed = static_cast<double>(fastest) / distance(node, node)};
    }
    auto const chosen = static_cast<std::uint16_t>(choose_node(loads_.span(), random));
    choice_lock_.unlock();
    return chosen;
}

CoreScheduler* Scheduler::here() const {
    return arch::runs_task() ? by_core_[index(Worker::current().core())] : nullptr;
}

std::uint32_t Scheduler::note_submitted(Request& request) {
    expect(!request.is_submitted(), "a request is submitted once");
    request.set_scheduler(*this);
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    return dealt_.fetch_add(1, std::memory_order_relaxed);
}

void Scheduler::submit(Request& request) {
    std::uint32_t const number = note_submitted(request);
    bool const chooses = !are_nodes_one(options_.discipline);
    submit_numbered(request, number, chooses ? choose_node_for(splitmix(options_.seed + number)) : std::uint16_t{0});
}

void Scheduler::submit_to(std::uint16_t node, Request& request) {
    submit_numbered(request, note_submitted(request), node);
}

// A thread has no queue of its own: a core of the scheduler takes the request.
void Scheduler::arrive(Worker& /*worker*/, Task& beginning) {
    Request& request = static_cast<ReschedulableTask&>(beginning).request();
    request.beginning().set_body_of_queue();
    request.scheduler().queue(request, request.scheduler().node(request.beginning().responsible_node()));
}

void Scheduler::submit_numbered(Request& request, std::uint32_t number, std::uint16_t node_place) {
    if (!arch::runs_task()) {
        Task& beginning = request.beginning();
        beginning.home = core_ids_[number % core_ids_.size()];
        if (!are_nodes_one(options_.discipline)) {
            request.beginning().set_responsible_node(node_place, false);
            beginning.body = &Scheduler::arrive;
        }
        return workers::of(beginning.home).append_from_outside(beginning);
    }
    if (!are_nodes_one(options_.discipline)) {
        // The console's core, say: it is busy with the task that submits.
        if (CoreScheduler* const own = here(); own != nullptr) static_cast<RequestCore*>(own)->stop_looking();
        return queue(request, nodes_[node_place]);
    }
    Task& beginning = request.beginning();
    beginning.home = core_ids_[number % core_ids_.size()];
    Worker::current().append(beginning, beginning.home);
}

void Scheduler::queue(Request& request, NodeScheduler& node) {
    node.add_tasks(1, [&] {
        if (options_.discipline == Discipline::Requests) return node.append(request);
        if (options_.discipline == Discipline::TwoFifos) return node.beginnings.append(request.beginning());
        if (options_.discipline == Discipline::OneLifo) return node.unbound.prepend(request.beginning());
        node.unbound.append(request.beginning());
    });
}

RequestPlace* Scheduler::open_place(Request& request, std::uint16_t node) {
    RequestPlace* const place = free_places_.take();
    if (place == nullptr) return nullptr;
    request.set_home(nodes_[node].node());
    place->open(request, node);
    request.set_place(place);
    return place;
}

void Scheduler::note_begun() {
    std::uint32_t const now = active_.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint32_t max = max_active_.load(std::memory_order_relaxed);
    while (max < now && !max_active_.compare_exchange_weak(max, now, std::memory_order_relaxed)) {
    }
}

void Scheduler::end(Request& request, CoreScheduler& here) {
    active_.fetch_sub(1, std::memory_order_relaxed); // first: another may begin once this one has left its queue
    if (RequestPlace* const place = request.place(); place != nullptr) {
        balancer_.forget(*place);
        free_places_.give(*place);
    }
    unfinished_.fetch_sub(1, std::memory_order_relaxed);
    request.finish(here);
}

} // namespace mxk::dataflow
