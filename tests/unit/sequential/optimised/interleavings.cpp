#include "tests/unit/interleavings.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace mxk::test {
namespace {

template <typename Actors> std::size_t first_of(Actors actors) {
    return static_cast<std::size_t>(std::countr_zero(actors));
}
constexpr std::uint32_t bit_of(std::size_t actor) {
    return std::uint32_t{1} << actor;
}

} // namespace

bool Interleavings::concern_each_other(Step const& a, Step const& b) const {
    if (steps_are_ == Steps::Changes) return true;
    auto const is = [&](Access one, Access other) {
        return (a.access == one && b.access == other) || (a.access == other && b.access == one);
    };
    if (is(Access::Begin, Access::End) || is(Access::Begin, Access::Unlinked)) return true;
    auto const is_in_memory = [](Step const& step) {
        return step.access == Access::Look || step.access == Access::Change;
    };
    if (!is_in_memory(a) || !is_in_memory(b)) return false;
    if (a.access == Access::Look && b.access == Access::Look) return false;
    return a.where == b.where || a.where == nullptr || b.where == nullptr;
}

// The next run goes another way at the last place where there is one.
bool Interleavings::next_run() {
    if (runs_ == 0) return true;
    while (!choices_.empty()) {
        Choice& last = choices_.back();
        last.tried |= bit_of(last.taken);
        if (Actors const left = last.wanted & ~last.tried & ~last.asleep; left != 0) {
            last.taken = first_of(left);
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
        Actors const enabled = those_to_go_on();
        if (is_new && depth >= known) {
            want_others(depth, enabled);
            Actors const asleep = asleep_at(depth);
            is_new = enabled == 0 || (enabled & ~asleep) != 0;
            if (enabled != 0 && is_new) {
                std::size_t const taken = first_of(enabled & ~asleep);
                choices_.push_back({.taken = taken, .wanted = bit_of(taken), .asleep = asleep});
            }
        }
        if (enabled == 0) break;
        std::size_t const actor = is_new ? choices_[depth].taken : first_of(enabled);
        if (is_new) note_order(depth);
        ++steps_;
        go_on(actor);
    }
    running_ = nullptr;
    return is_new;
}

// An actor whose next step is concerned by an earlier one of another actor, and does not follow from it, could have
// been first.
void Interleavings::want_others(std::size_t depth, Actors enabled) {
    for (; enabled != 0; enabled &= enabled - 1) {
        std::size_t const actor = first_of(enabled);
        Fiber const& fiber = fibers_[actor];
        for (std::size_t i = depth; i-- > 0;) {
            Choice& earlier = choices_[i];
            if (earlier.taken == actor || !concern_each_other(earlier.step, fiber.next)) continue;
            if (fiber.before[earlier.taken] >= earlier.nth) continue;
            earlier.wanted |= bit_of(actor);
            break;
        }
    }
}

// Of the choice at `depth`, that is about to be taken: which steps come before it.
void Interleavings::note_order(std::size_t depth) {
    Choice& choice = choices_[depth];
    Fiber& fiber = fibers_[choice.taken];
    choice.step = fiber.next;
    choice.nth = ++fiber.steps;
    choice.before = fiber.before;
    choice.before[choice.taken] = choice.nth;
    for (std::size_t i = 0; i < depth; ++i) {
        Choice const& earlier = choices_[i];
        if (!concern_each_other(earlier.step, choice.step)) continue;
        for (std::size_t actor = 0; actor < choice.before.size(); ++actor)
            choice.before[actor] = std::max(choice.before[actor], earlier.before[actor]);
    }
    fiber.before = choice.before;
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
        fiber.begun = 0;
        fiber.steps = 0;
        fiber.before.assign(actors.size(), 0);
        fiber.has_ended = false;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = stack_bytes;
        fiber.context.uc_link = &scheduler_;
        makecontext(&fiber.context, &Interleavings::enter, 0);
        go_on(i);
    }
}

Interleavings::Actors Interleavings::those_to_go_on() const {
    Actors result = 0;
    for (std::size_t i = 0; i < fibers_.size(); ++i)
        if (!fibers_[i].has_ended) result |= bit_of(i);
    return result;
}

// Whose next step was tried before the last choice's was, and is the same now: as long as nothing has concerned it.
Interleavings::Actors Interleavings::asleep_at(std::size_t depth) const {
    if (depth == 0) return 0;
    Choice const& last = choices_[depth - 1];
    Actors result = 0;
    for (Actors left = last.asleep | last.tried; left != 0; left &= left - 1) {
        Fiber const& fiber = fibers_[first_of(left)];
        if (!fiber.has_ended && !concern_each_other(fiber.next, last.step)) result |= bit_of(first_of(left));
    }
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
    Fiber& self = running_->fibers_[running_->current_];
    if (running_->steps_are_ == Steps::Accesses || step.access == Access::Change) {
        self.next = step;
        swapcontext(&self.context, &running_->scheduler_);
    }
    if (step.access == Access::Begin) self.begun = now();
}

std::uint64_t Interleavings::now() {
    return running_ != nullptr ? running_->steps_ : 0;
}

std::uint64_t Interleavings::begun() {
    return running_ != nullptr ? running_->fibers_[running_->current_].begun : 0;
}

} // namespace mxk::test
