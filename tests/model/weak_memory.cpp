#include "tests/model/weak_memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define MXK_UNPOISON(begin, bytes) __asan_unpoison_memory_region(begin, bytes)
#endif
#endif
#ifndef MXK_UNPOISON
#define MXK_UNPOISON(begin, bytes) static_cast<void>(0)
#endif

namespace mxk::test {
namespace {

constexpr std::size_t stack_bytes = 128 * 1024;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
// Of all that wait, each a turn: more than a program has hand-overs, of which each needs one.
constexpr std::size_t max_rounds = 64;
// Of a thread, these included: none that waits has so many.
constexpr std::size_t max_last_events = 16 * max_model_events;

} // namespace

WeakMemory::~WeakMemory() {
    if (current_ == this) current_ = nullptr;
}

ModelExploration WeakMemory::explore(ModelProgram const& program, std::size_t max_executions, std::size_t turns) {
    program_ = &program;
    turns_ = turns;
    result_ = {};
    current_ = this;
    if (fibers_.size() != program.threads.size() + 1) {
        fibers_ = std::vector<Fiber>(program.threads.size() + 1);
        for (Fiber& fiber : fibers_) fiber.stack = std::make_unique<std::byte[]>(stack_bytes);
    }
    left_.clear();
    left_.emplace_back(fibers_.size());
    while (!left_.empty() && result_.executions < max_executions && result_.error.empty()) {
        graph_ = std::move(left_.back());
        left_.pop_back();
        run();
    }
    result_.is_complete = left_.empty() && result_.error.empty();
    current_ = nullptr;
    return std::exchange(result_, {});
}

// What is known of the execution, and then on to its end; other ways to go on from there are put into left_.
void WeakMemory::run() {
    done_ = {};
    is_given_up_ = false;
    is_finishing_ = false;
    new_events_ = graph_.events() == 0 ? no_limit : 0;
    start(0);
    go_on(0);
    for (std::size_t thread = 1; thread < fibers_.size() && !is_given_up_; ++thread) start(thread);
    replay();
    if (!is_given_up_ && !graph_.is_sequentially_consistent()) {
        ++result_.excluded;
        return;
    }
    extend();
    if (is_given_up_) return;
    ++result_.executions;
    finish();
}

void WeakMemory::start(std::size_t thread) {
    Fiber& fiber = fibers_[thread];
    if (fiber.state != State::HasEnded) MXK_UNPOISON(fiber.stack.get(), stack_bytes);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = &scheduler_;
    makecontext(&fiber.context, &WeakMemory::enter, 0);
    fiber.state = State::Ready;
}

void WeakMemory::enter() {
    WeakMemory& memory = *current_;
    std::size_t const self = memory.self_;
    if (self != 0)
        memory.program_->threads[self - 1]();
    else if (memory.is_finishing_)
        memory.program_->end();
    else
        memory.program_->begin();
    memory.fibers_[self].state = State::HasEnded; // uc_link leads back to the scheduler
}

void WeakMemory::replay() {
    new_events_ = 0;
    for (bool has_changed = true; has_changed && !is_given_up_;) {
        has_changed = false;
        for (std::size_t thread = 1; thread < fibers_.size() && !is_given_up_; ++thread) {
            State const state = fibers_[thread].state;
            if (state != State::Ready && state != State::NeedsSource) continue;
            std::uint16_t const before = done_[thread];
            go_on(thread);
            has_changed = has_changed || done_[thread] != before || fibers_[thread].state != State::NeedsSource;
        }
    }
}

// Always by the first thread that can; but an update is completed before all else.
void WeakMemory::extend() {
    while (!is_given_up_) {
        std::size_t next = 0;
        for (std::size_t thread = fibers_.size(); thread-- > 1;) {
            if (fibers_[thread].state != State::AtNewEvent) continue;
            std::size_t const events = graph_.events_of(thread);
            next = thread;
            new_events_ = no_limit;
            if (events == 0) continue;
            MemoryEvent const& last =
                graph_.at({static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(events - 1)});
            if (!last.is_update || last.is_write) continue;
            new_events_ = 1;
            break;
        }
        if (next == 0) return;
        go_on(next);
    }
}

void WeakMemory::finish() {
    is_finishing_ = true;
    new_events_ = no_limit;
    auto const waits = [](Fiber const& fiber) { return fiber.state == State::Waits; };
    if (std::ranges::any_of(fibers_, waits)) ++result_.stopped;
    for (std::size_t round = 0; round < max_rounds && !is_given_up_; ++round)
        for (std::size_t thread = 1; thread < fibers_.size() && !is_given_up_; ++thread)
            if (waits(fibers_[thread])) go_on(thread);
    if (is_given_up_) return;
    if (std::ranges::any_of(fibers_, waits)) {
        std::string const waiting = waiters_text();
        fail("all that are left wait for ever");
        result_.trace += waiting;
        return;
    }
    start(0);
    go_on(0);
}

void WeakMemory::go_on(std::size_t thread) {
    self_ = thread;
    is_in_fiber_ = true;
    fibers_[thread].state = State::Ready;
    swapcontext(&scheduler_, &fibers_[thread].context);
    is_in_fiber_ = false;
}

void WeakMemory::leave(State state) {
    Fiber& fiber = fibers_[self_];
    fiber.state = state;
    swapcontext(&fiber.context, &scheduler_);
}

void WeakMemory::give_up() {
    is_given_up_ = true;
    while (is_given_up_ && is_in_fiber_) leave(State::NeedsSource);
}

void WeakMemory::fail(char const* what) {
    result_.error = what;
    result_.trace = graph_.text();
    give_up();
}

void WeakMemory::turn(std::size_t turns_before) {
    if (is_finishing_ || turns_before >= turns_) leave(State::Waits);
}

std::uint64_t WeakMemory::read(Access const& access) {
    return read_with(access, [](std::uint64_t) { return false; });
}

void WeakMemory::write(Access const& access, std::uint64_t value) {
    write_with(access, value, false);
}

void WeakMemory::adopt(void const* where, std::uint64_t value) {
    if (self_ != 0 || is_finishing_) return;
    for (std::uint16_t at = 0; at < done_[0]; ++at)
        if (MemoryEvent const& event = graph_.at({0, at}); event.where == where && event.is_write) return;
    write({.where = where, .from = std::source_location::current(), .is_plain = true, .constructs = true}, value);
}

void WeakMemory::fence(Fence kind, std::source_location from) {
    if (self_ == 0) return; // alone
    MemoryEvent const event{.from = from,
                            .is_seq_cst = kind == Fence::SeqCst || kind == Fence::Light || kind == Fence::Heavy,
                            .fence = kind};
    if (!is_recorded(event)) graph_.add(self_, event);
    note_order(next_id());
}

std::uint64_t WeakMemory::read_with(Access const& access, std::function<bool(std::uint64_t)> const& is_update) {
    MemoryEvent const wanted{.where = access.where, .from = access.from, .is_plain = access.is_plain};
    bool const is_new = !is_recorded(wanted);
    EventId const id = next_id();
    if (is_new) {
        check_access(access, false);
        graph_.add(self_, wanted);
        choose_source(id);
    }
    while (!graph_.at(id).source.is_in(done_)) leave(State::NeedsSource);
    MemoryEvent& event = graph_.at(id);
    event.is_update = is_update(event.value);
    bool const is_as_said = event.is_update || !access.is_update;
    event.is_ordered = is_as_said ? access.acquires : access.acquires_unchanged;
    event.is_seq_cst = is_as_said ? access.is_seq_cst : access.is_seq_cst_unchanged;
    note_order(id);
    return graph_.at(id).value;
}

void WeakMemory::write_with(Access const& access_of_source, std::uint64_t value, bool is_update) {
    Access access = access_of_source;
    // What was constructed before the run, begin() gives its value.
    if (self_ == 0 && !is_finishing_ && graph_.writes(access.where) == 0) access.is_plain = access.constructs = true;
    MemoryEvent const wanted{.where = access.where,
                             .value = value,
                             .from = access.from,
                             .is_write = true,
                             .is_update = is_update,
                             .is_plain = access.is_plain,
                             .is_ordered = access.releases,
                             .is_seq_cst = access.is_seq_cst};
    bool const is_new = !is_recorded(wanted);
    EventId const id = next_id();
    if (is_new) {
        check_access(access, true);
        graph_.add(self_, wanted);
        note_order(id);
        if (!is_finishing_ && self_ != 0 && !access.is_plain) revisit_reads(id);
        choose_rank(id);
    } else {
        note_order(id);
    }
}

// Comes back when the event may be added, if it is not there yet.
bool WeakMemory::is_recorded(MemoryEvent const& wanted) {
    EventId const id = next_id();
    if (id.at < graph_.events_of(self_)) {
        MemoryEvent const& event = graph_.at(id);
        if (event.where != wanted.where || event.is_write != wanted.is_write || event.fence != wanted.fence)
            fail("another run does something else");
        return true;
    }
    while (new_events_ == 0) leave(State::AtNewEvent);
    bool const is_alone = fibers_.size() == 2; // one execution, however long
    if (self_ != 0 && id.at >= (is_finishing_ || is_alone ? max_last_events : program_->max_events)) {
        if (is_finishing_ || !program_->may_be_cut) fail("a thread goes on and on");
        ++result_.executions;
        ++result_.cut;
        give_up();
    }
    if (new_events_ != no_limit) --new_events_;
    return false;
}

void WeakMemory::check_access(Access const& access, bool is_write) {
    if (auto const other = graph_.race(access.where, is_write, access.is_plain, seen())) {
        result_.error = "a race of " + text_of(access.from) + " with " + text_of(graph_.at(*other).from);
        result_.trace = graph_.text() + "missing: something that thread " + std::to_string(other->thread) +
                        " releases after " + ExecutionGraph::name(*other) + ", and that thread " +
                        std::to_string(self_) + " acquires before " + ExecutionGraph::name(next_id()) + "\n";
        give_up();
    }
    if (graph_.writes(access.where) == 0 && !access.constructs) fail("what nobody has constructed is used");
}

EventId WeakMemory::next_id() const {
    return {static_cast<std::uint16_t>(self_), done_[self_]};
}

MemoryEvent const* WeakMemory::last() const {
    EventId const id = next_id();
    return id.at == 0 ? nullptr : &graph_.at({id.thread, static_cast<std::uint16_t>(id.at - 1)});
}

// What happens before the next event of the thread.
Clock WeakMemory::seen() const {
    if (done_[self_] != 0 && !(self_ == 0 && is_finishing_))
        return graph_.at({static_cast<std::uint16_t>(self_), static_cast<std::uint16_t>(done_[self_] - 1)}).before;
    Clock result = {};
    result[0] = done_[0];
    return is_finishing_ && self_ == 0 ? done_ : result;
}

// Of a read that is the last event: any write that is not older than one that it knows of.
void WeakMemory::choose_source(EventId read) {
    MemoryEvent& event = graph_.at(read);
    std::uint32_t const count = graph_.writes(event.where);
    auto const choose = [&](ExecutionGraph& graph, std::uint32_t rank) {
        EventId const source = graph.write(event.where, rank);
        graph.at(read).source = source;
        graph.at(read).value = graph.at(source).value;
    };
    choose(graph_, count - 1);
    if (is_finishing_ || self_ == 0 || event.is_plain) return;
    for (std::uint32_t rank = graph_.first_readable(event.where, seen()); rank + 1 < count; ++rank)
        choose(left_.emplace_back(graph_), rank);
}

void WeakMemory::choose_rank(EventId write) {
    graph_.possible_ranks(write, ranks_);
    if (ranks_.empty()) return give_up(); // two updates of one value: one of them is tried with the other's
    if (!is_finishing_)
        for (std::size_t i = 1; i < ranks_.size(); ++i) left_.emplace_back(graph_).place(write, ranks_[i]);
    graph_.place(write, ranks_.front());
}

// Reads that were there before the write, and could have read from it.
void WeakMemory::revisit_reads(EventId write) {
    void const* const where = graph_.at(write).where;
    graph_.for_each([&](EventId read, MemoryEvent const& event) {
        if (!event.is_read() || event.is_plain || event.where != where || read.thread == 0) return;
        if (!graph_.is_to_be_revisited(read, write)) return;
        ExecutionGraph const revisited = graph_.without_later(read, write);
        EventId const before{read.thread, static_cast<std::uint16_t>(read.at - 1)};
        Clock seen = {};
        if (read.at == 0)
            seen[0] = done_[0];
        else
            seen = graph_.at(before).before;
        std::uint32_t const first = revisited.first_readable(where, seen);
        revisited.possible_ranks(write, ranks_);
        for (std::uint32_t const rank : ranks_)
            if (rank > first) left_.emplace_back(revisited).place(write, rank);
    });
}

// Of the thread's next event, which is done now.
void WeakMemory::note_order(EventId id) {
    Clock const before = seen();
    MemoryEvent& event = graph_.at(id);
    event.before = before;
    event.depends_on = before;
    if (id.at != 0 && !(self_ == 0 && is_finishing_)) {
        MemoryEvent const& last = graph_.at({id.thread, static_cast<std::uint16_t>(id.at - 1)});
        event.depends_on = last.depends_on;
        event.offered = last.offered;
        event.acquirable = last.acquirable;
    } else {
        event.offered = {};
        event.acquirable = {};
    }
    if (event.is_read()) {
        MemoryEvent const& source = graph_.at(event.source);
        join(event.depends_on, source.depends_on);
        if (event.is_ordered) join(event.before, source.published);
        if (!event.is_plain) join(event.acquirable, source.published);
    }
    bool const is_strong = event.fence == Fence::Both || event.fence == Fence::SeqCst || event.fence == Fence::Heavy;
    if (event.fence == Fence::Acquire || is_strong) join(event.before, event.acquirable);
    ++done_[self_];
    event.before[self_] = done_[self_];
    event.depends_on[self_] = done_[self_];
    if (event.fence == Fence::Release || is_strong) event.offered = event.before;
    if (!event.is_write) return;
    event.published = {};
    if (event.is_update) { // of a release sequence
        MemoryEvent const& read = graph_.at({id.thread, static_cast<std::uint16_t>(id.at - 1)});
        event.published = graph_.at(read.source).published;
    }
    if (!event.is_plain) join(event.published, event.is_ordered ? event.before : event.offered);
}

// Of those that wait: where, and what they have read there.
std::string WeakMemory::waiters_text() const {
    std::string result;
    for (std::size_t thread = 1; thread < fibers_.size(); ++thread) {
        if (fibers_[thread].state != State::Waits) continue;
        result += "thread " + std::to_string(thread) + " waits";
        std::size_t at = done_[thread];
        while (at > 0 && !graph_.at({static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(at - 1)}).is_read())
            --at;
        if (at > 0) {
            MemoryEvent const& read =
                graph_.at({static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(at - 1)});
            result += ": it goes on reading " + std::to_string(read.value) + ", written by " +
                      ExecutionGraph::name(read.source) + " and never changed, in " + text_of(read.from);
        }
        result += "\n";
    }
    return result;
}

} // namespace mxk::test
