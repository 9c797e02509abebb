#include "tasks/dataflow/disciplines/request_core.hpp"

#include <algorithm>

#include "base/fence.hpp"
#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {

RequestCore::RequestCore(Scheduler& scheduler, Worker& worker, std::size_t place, NodeScheduler& node,
                         std::size_t sleep_place, BoundStack stack, NodeVector<Victim> victims)
    : CoreScheduler(scheduler, worker, place, node.place(), scheduler.options().reruns_bound)
    , node_(node)
    , sleep_place_(sleep_place)
    , stack_(std::move(stack))
    , victims_(std::move(victims))
    // Alone, it leaves nothing to others.
    , patience_(victims_.size() != 0 ? clock::to_cycles(scheduler.options().patience) : Cycles{})
    , left_alone_after_(patience_ != Cycles{} ? clock::to_cycles(left_alone_after) : Cycles{})
    , scans_under_lock_(scheduler.options().scans_under_lock) {}

RequestCore& RequestCore::at(Victim const& victim) const {
    return static_cast<RequestCore&>(scheduler().of(victim.core));
}

// Bound tasks, and unbound ones of a request that is this node's alone, are not counted in the node's word: this core
// runs them itself unless another takes them, so none is lost when all others sleep. What the word is asked for is
// help.
void RequestCore::enqueue(ReschedulableTask& task, Binding binding) {
    if (binding == Binding::Bound && stack_.push(task)) [[likely]]
        return offer_help();
    enqueue_unbound(task); // also if there is no memory for the stack to grow
}

// A core that is about to sleep looks at stacks and queues once more after it has said so. So either it sees the task,
// or this core sees that it sleeps: here at once, as a rule, and for certain before the next task, behind a locked
// instruction that is there anyway. A fence for each task that is queued here would make a pipe of small tasks slower
// by a fifth where another core polls.
[[gnu::noinline]] void RequestCore::ask_for_help() {
    node_.pay(node_.activity.ask_for_help());
}

void RequestCore::enqueue_unbound(ReschedulableTask& task) {
    if (scheduler().options().discipline == Discipline::Requests) {
        RequestPlace& place = *task.request().place();
        if (place.is_only_of(node_.place())) [[likely]]
            return enqueue_here(task, place);
        return enqueue_for(task, scheduler().node(place.deal_node()), place);
    }
    node_.add_tasks(1, [&] {
        if (scheduler().options().discipline == Discipline::OneLifo)
            node_.unbound.prepend(task);
        else
            node_.unbound.append(task);
    });
}

void RequestCore::enqueue_here(ReschedulableTask& task, RequestPlace& place) {
    task.set_responsible_node(node_.place(), false);
    std::uint16_t const responsible = place.append(task);
    if (responsible != node_.place()) [[unlikely]]
        return pass_on(responsible);
    if (!takes_it_next_) offer_help();
}

void RequestCore::enqueue_for(ReschedulableTask& task, NodeScheduler& node, RequestPlace& place) {
    task.set_responsible_node(node.place(), true);
    std::uint16_t responsible = node.place();
    node.add_tasks(1, [&] { responsible = place.append(task); });
    if (responsible == node.place()) [[likely]]
        return;
    node.activity.remove(1);
    pass_on(responsible);
}

// Its request has gone to another node meanwhile. That node's count may be negative for a moment.
void RequestCore::pass_on(std::uint16_t responsible) {
    NodeScheduler& other = scheduler().node(responsible);
    other.pay(other.activity.add(1));
}

void RequestCore::begin_work(std::int32_t taken) {
    SleepRule const rule = scheduler().options().sleep_rule;
    if (is_working_) {
        if (taken != 0) node_.pay(node_.activity.take_more(taken, rule));
        return;
    }
    is_working_ = true;
    node_.pay(node_.activity.begin(taken, rule));
    if (rule == SleepRule::Strict) wake_for_the_rest();
}

void RequestCore::look_before_next() {
    if (!has_offered_) return;
    store_load_fence();
    look_at_sleepers();
}

// The same behind a fence or a locked instruction.
inline void RequestCore::look_at_sleepers() {
    if (std::exchange(has_offered_, false)) wake_for_the_rest();
}

// Who has queued a task that is not counted, while this core was the one that looked for work, has woken nobody. Behind
// a locked instruction.
void RequestCore::wake_for_the_rest() {
    if (!needs_waking()) [[likely]]
        return;
    if (stack_.size() != 0 || !is_nothing_queued()) node_.pay(node_.activity.ask_for_help());
}

ReschedulableTask* RequestCore::next() {
    if (ReschedulableTask* const task = stack_.take_newest(); task != nullptr) {
        if (!is_working_) [[unlikely]]
            begin_work(0);
        look_at_sleepers();
        counts_.bound.add(1);
        return task;
    }
    look_before_next();
    bool const steals_first = scheduler().options().steals_first;
    ReschedulableTask* task = node_.is_own_request_due() ? admit() : nullptr;
    if (task == nullptr) task = steals_first ? steal() : take_unbound();
    if (task == nullptr) task = steals_first ? take_unbound() : steal();
    if (task == nullptr) task = begin_request();
    return task;
}

// Of other requests than the one that it works for, it takes what their cores do not come to.
ReschedulableTask* RequestCore::take_unbound() {
    ReschedulableTask* const task =
        scheduler().options().discipline == Discipline::Requests ? take_from_requests() : take_shared();
    if (task != nullptr) counts_.unbound.add(1);
    return task;
}

bool RequestCore::helps_with_unbound(Cycles now) {
    std::int64_t const queued = scheduler().options().discipline == Discipline::Requests
                                    ? static_cast<std::int64_t>(node_.unbound_tasks())
                                    : node_.activity.counts().tasks - std::int64_t{node_.waiting()};
    if (queued <= 0) return false;
    has_seen_work_ = true;
    std::uint64_t done = 0;
    for (Victim const& victim : victims_) done += at(victim).counts().unbound.value();
    return unbound_help_.is_worth(static_cast<std::size_t>(queued), done, now, patience_, looks_series_);
}

// It works, and has tasks of its own request.
void RequestCore::look_for_left_alone(Cycles now) {
    if (now - looked_for_left_alone_ < Cycles{raw(left_alone_after_) / 4}) return;
    looked_for_left_alone_ = now;
    left_alone_ = node_.left_alone(own_place_, now, left_alone_after_);
}

bool RequestCore::helps(Victim& victim, Cycles now) {
    RequestCore const& other = at(victim);
    std::size_t const waiting = other.bound_tasks();
    if (waiting == 0) return false;
    has_seen_work_ = true;
    return victim.help.is_worth(waiting, other.counts().tasks(), now, patience_, looks_series_);
}

void RequestCore::go_to(RequestPlace& its_place) {
    if (own_place_ == &its_place) return;
    if (own_place_ != nullptr && own_place_->leader() == number()) own_place_->set_leader(RequestPlace::no_core);
    own_place_ = &its_place;
    stay_.forget();
}

bool RequestCore::stays() {
    std::uint32_t const leader = own_place_->leader();
    if (leader == number() || patience_ == Cycles{}) return true;
    StayEstimate::Word word = StayEstimate::Word::Lead;
    if (leader != RequestPlace::no_core) {
        Cycles const now = clock::timestamp();
        if (!stay_.is_due(leader, now, patience_)) return true; // what it has run so far lies in the leader's cache
        word = stay_.look(leader, own_place_->tasks(), scheduler().at(leader).counts().tasks(), now, patience_);
    }
    if (word == StayEstimate::Word::Lead) own_place_->set_leader(number());
    if (word == StayEstimate::Word::Leave) stay_.forget();
    return word != StayEstimate::Word::Leave;
}

ReschedulableTask* RequestCore::take_from_requests() {
    ReschedulableTask* task = nullptr;
    if (left_alone_ != nullptr) [[unlikely]] {
        RequestPlace* const place = std::exchange(left_alone_, nullptr);
        task = place->take(node_.place());
        if (task != nullptr) go_to(*place);
    }
    if (task == nullptr && is_working_ && own_place_ != nullptr &&
        (own_place_->may_have_tasks() || scans_under_lock_)) {
        if (!stays()) {
            counts_.left.add(1);
            return nullptr;
        }
        task = scans_under_lock_ ? node_.take_locked(*own_place_) : own_place_->take(node_.place());
    }
    if (task == nullptr) {
        if (!helps_with_unbound(clock::timestamp())) return nullptr;
        task = scans_under_lock_ ? node_.take_unbound_locked() : node_.take_unbound();
        if (task == nullptr) return nullptr;
        unbound_help_.took_one();
        go_to(*task->request().place());
    }
    counts_.locks.add(1);
    bool const is_own = task->responsible_node() == node_.place();
    if (!is_own) {
        counts_.foreign.add(1);
        if (task->is_counted()) scheduler().node(task->responsible_node()).activity.remove(1);
    }
    begin_work(is_own && task->is_counted() ? 1 : 0);
    return task;
}

ReschedulableTask* RequestCore::take_shared() {
    if (!is_working_ && !helps_with_unbound(clock::timestamp())) return nullptr;
    ReschedulableTask* const task = node_.unbound.take();
    if (task == nullptr) return nullptr;
    unbound_help_.took_one();
    counts_.locks.add(1);
    begin_work(1);
    return task;
}

ReschedulableTask* RequestCore::steal() {
    if (victims_.size() == 0) return nullptr;
    Cycles const now = clock::timestamp();
    for (Victim& victim : victims_) {
        if (!helps(victim, now)) continue;
        RequestCore& other = at(victim);
        ReschedulableTask* const task = other.steal_oldest();
        if (task == nullptr) continue;
        victim.help.took_one();
        counts_.stolen.add(1);
        begin_work(0);
        return task;
    }
    return nullptr;
}

ReschedulableTask* RequestCore::begin_request() {
    return scheduler().options().discipline == Discipline::Requests ? admit() : take_beginning();
}

ReschedulableTask* RequestCore::admit() {
    Request* const request = node_.admit([&](Request& first) { return scheduler().open_place(first, node_.place()); });
    if (request == nullptr) return nullptr;
    inject::point();
    go_to(*request->place());
    own_place_->set_leader(number());
    left_alone_ = nullptr;
    if (scheduler().nodes().size() > 1) scheduler().balancer().share_with_idle();
    counts_.admitted.add(1);
    begin_work(1);
    return &request->beginning();
}

ReschedulableTask* RequestCore::take_beginning() {
    ReschedulableTask* const task = node_.beginnings.take();
    if (task != nullptr) begin_work(1);
    return task;
}

// One that is interrupted, or leaves its own FIFO a turn, goes on working: it comes back soon.
bool RequestCore::run(Worker& /*worker*/) {
    if (scheduler().nodes().size() > 1) scheduler().balancer().look();
    if (is_working_) look_for_left_alone(clock::timestamp());
    unsigned done = 0;
    ReschedulableTask* task = next();
    while (task != nullptr) {
        bool const is_last = ++done == turn_tasks;
        task = run_one(*task, !is_last);
        if (task != nullptr) continue;
        if (is_last || arch::needs_attention()) {
            store_load_fence();
            wake_for_the_rest(); // also of what this core was to take next
            return true;
        }
        task = next();
    }
    if (is_working_) {
        is_working_ = false;
        ++looks_series_;
        node_.activity.finish();
    }
    if (done == 0) counts_.empty_turns.add(1);
    look_every_ = patience_;
    return done != 0;
}

// Where nothing comes before it, this core runs it next, and nobody is woken for it, who would only look on.
void RequestCore::queue_again(ReschedulableTask& task, Outcome outcome, bool takes_next) {
    takes_it_next_ = takes_next && own_place_ != nullptr && own_place_ == task.request().place() &&
                     left_alone_ == nullptr && stack_.size() == 0 && !own_place_->may_have_tasks();
    if (outcome == Outcome::Again)
        task.go_on(*this);
    else
        task.queue_again(*this);
    takes_it_next_ = false;
}

// Gives the newest bound task if that is to be taken next and there is one: the locked instruction by which a task
// comes to rest is also the fence for taking it.
inline ReschedulableTask* RequestCore::run_one(ReschedulableTask& task, bool takes_next) {
    Outcome const outcome = task.run_body(*this);
    if (outcome == Outcome::Ended) [[unlikely]] {
        task.end(*this);
        return nullptr;
    }
    if (arch::needs_attention()) takes_next = false;
    if (outcome == Outcome::Again) {
        queue_again(task, outcome, takes_next);
        return nullptr;
    }
    if (!takes_next || !stack_.begin_take()) {
        if (task.try_rest()) {
            store_load_fence_was_there();
            look_at_sleepers();
        } else {
            queue_again(task, outcome, takes_next);
        }
        return nullptr;
    }
    if (!task.try_rest()) [[unlikely]] {
        stack_.cancel_take();
        queue_again(task, outcome, false);
        return nullptr;
    }
    ReschedulableTask* const newest = stack_.end_take();
    look_at_sleepers();
    if (newest != nullptr) counts_.bound.add(1);
    return newest;
}

bool RequestCore::is_nothing_queued() const {
    for (Victim const& victim : victims_)
        if (at(victim).bound_tasks() != 0) return false;
    return !node_.has_unbound_tasks();
}

bool RequestCore::finds_work(Cycles now) {
    if (node_.waiting() != 0 && node_.has_room()) return true;
    if (helps_with_unbound(now)) return true;
    return std::ranges::any_of(victims_, [&](Victim& victim) { return helps(victim, now); });
}

bool RequestCore::has_work() {
    Cycles const now = clock::timestamp();
    if (now - looked_ < look_every_) return false;
    looked_ = now;
    if (finds_work(now)) return true;
    look_every_ = std::min(look_every_ + look_every_, Cycles{4 * raw(patience_)});
    return false;
}

// Not where others have had work while it polled, though none to take: they would have to wake it for the next.
bool RequestCore::begin_sleep() {
    if (std::exchange(has_seen_work_, false)) return false;
    if (!node_.activity.try_sleep(scheduler().options().sleep_rule)) return false;
    inject::point();
    node_.sleepers.lie_down(sleep_place_);
    counts_.sleeps.add(1);
    store_load_fence(); // pairs with look_before_next(), and where look_at_sleepers() is called
    if (is_nothing_queued()) return true;
    end_sleep();
    return false;
}

void RequestCore::end_sleep() {
    if (node_.sleepers.was_woken(sleep_place_)) return; // the waker has counted this core
    inject::point();
    if (node_.activity.try_rise()) {
        if (node_.sleepers.rise(sleep_place_))
            counts_.own_rises.add(1);
        else
            node_.activity.unrise(); // a waker came in between, and has counted this core, too
        return;
    }
    // All that sleep are counted by wakers, so one has still to find this core.
    for (SpinWait wait; !node_.sleepers.was_woken(sleep_place_);) wait.turn();
}

} // namespace mxk::dataflow
