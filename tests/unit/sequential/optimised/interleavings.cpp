#include "tests/unit/interleavings.hpp"

#include <algorithm>

namespace mxk::test {
namespace {

bool contains(std::vector<std::size_t> const& list, std::size_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

} // namespace

bool Interleavings::concern_each_other(Step const& a, Step const& b) const {
    auto const is = [&](Access one, Access other) {
        return (a.access == one && b.access == other) || (a.access == other && b.access == one);
    };
    if (!bounds_.looks_are_steps) return true;
    if (is(Access::Begin, Access::Change) || is(Access::Begin, Access::End)) return true;
    if (a.where != b.where || a.where == nullptr) return false;
    return a.access == Access::Change || b.access == Access::Change;
}

// The next run goes another way at the last place where there is one.
bool Interleavings::next_run() {
    if (runs_ == 0) return true;
    while (!choices_.empty()) {
        Choice& last = choices_.back();
        last.tried.push_back(last.taken);
        for (std::size_t const actor : last.enabled) {
            if (contains(last.tried, actor) || contains(last.asleep, actor)) continue;
            last.taken = actor;
            return true;
        }
        choices_.pop_back();
    }
    return false;
}

bool Interleavings::run(std::vector<Actor> const& actors) {
    ++runs_;
    steps_ = 0;
    running_ = this;
    start(actors);
    bool is_new = true;
    std::size_t const known = choices_.size();
    for (std::size_t depth = 0;; ++depth) {
        std::vector<std::size_t> const enabled = those_to_go_on();
        if (enabled.empty()) break;
        std::size_t actor = enabled.front();
        if (depth < known) {
            actor = choices_[depth].taken;
        } else if (is_new) {
            Choice choice{0, enabled, {}, depth == 0 ? std::vector<std::size_t>{} : asleep_after(choices_[depth - 1])};
            auto const awake = std::find_if(enabled.begin(), enabled.end(),
                                            [&](std::size_t other) { return !contains(choice.asleep, other); });
            is_new = awake != enabled.end();
            if (is_new) {
                actor = choice.taken = *awake;
                choices_.push_back(std::move(choice));
            }
        }
        last_ = fibers_[actor].next;
        ++steps_;
        go_on(actor);
    }
    running_ = nullptr;
    return is_new;
}

// Each up to its first step: before it, it touches nothing that is shared.
void Interleavings::start(std::vector<Actor> const& actors) {
    constexpr std::size_t stack_bytes = 256 * 1024;
    if (fibers_.size() != actors.size()) {
        fibers_ = std::vector<Fiber>(actors.size());
        for (Fiber& fiber : fibers_) fiber.stack = std::make_unique<std::byte[]>(stack_bytes);
    }
    for (std::size_t i = 0; i < actors.size(); ++i) {
        Fiber& fiber = fibers_[i];
        fiber.actor = &actors[i];
        fiber.next = {};
        fiber.has_ended = false;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = stack_bytes;
        fiber.context.uc_link = &scheduler_;
        makecontext(&fiber.context, &Interleavings::enter, 0);
        go_on(i);
    }
}

std::vector<std::size_t> Interleavings::those_to_go_on() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < fibers_.size(); ++i)
        if (!fibers_[i].has_ended) result.push_back(i);
    return result;
}

// Whose next step was tried before that choice's was, and is the same now: as long as nothing has concerned it.
std::vector<std::size_t> Interleavings::asleep_after(Choice const& choice) const {
    std::vector<std::size_t> result;
    for (auto const* const list : {&choice.asleep, &choice.tried})
        for (std::size_t const actor : *list)
            if (!fibers_[actor].has_ended && !concern_each_other(fibers_[actor].next, last_)) result.push_back(actor);
    return result;
}

void Interleavings::go_on(std::size_t actor) {
    current_ = actor;
    swapcontext(&scheduler_, &fibers_[actor].context);
}

void Interleavings::enter() {
    Fiber& self = running_->fibers_[running_->current_];
    (*self.actor)();
    self.has_ended = true; // uc_link leads back to the scheduler
}

void Interleavings::point(Step const& step) {
    if (running_ == nullptr) return; // the state is made, or checked
    if (step.access == Access::Look && !running_->bounds_.looks_are_steps) return;
    Fiber& self = running_->fibers_[running_->current_];
    self.next = step;
    swapcontext(&self.context, &running_->scheduler_);
}

std::uint64_t Interleavings::now() {
    return running_ != nullptr ? running_->steps_ : 0;
}

} // namespace mxk::test
