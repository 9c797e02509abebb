// The part of a coroutine that forks (forked.hpp) that knows no type: where it stands, and what runs when it ends.
//
// Of the coroutines on a core one runs; those that it was forked or called from wait for it. What one that forks has
// left to do, its continuation, stands in the core's deque while its child runs, and is run by the core when the child
// has ended, or by a thief meanwhile. A stolen one goes on on the thief's core, with a stack of frames of its own
// there; its frame stays where it is. At its join, the last one goes on with it and adopts the stack on whose top it
// lies (libfork, C. Williams and J. Elliott 2024; continuations: Frigo, Leiserson, Randall 1998, "The implementation of
// the Cilk-5 multithreaded language"). So there are no more stacks than cores, and one for each join that waits.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/inject.hpp"
#include "base/panic.hpp"
#include "tasks/fork/fork_core.hpp"
#include "tasks/fork/join_count.hpp"

namespace mxk {

// For the waiter of the outermost one.
struct ForkRoot {
    std::atomic<bool> is_done{false};
    ForkTrouble trouble;
};

class ForkFrame : public ForkJob {
  public:
    ForkFrame()
        : ForkJob([](ForkCore& thief, ForkJob& stolen) { static_cast<ForkFrame&>(stolen).run_stolen(thief); },
                  Detached{}) {}

    // A task on a core; else, and without memory, null.
    static void* operator new(std::size_t bytes) noexcept {
        ForkCore* const core = ForkCore::current();
        FrameStack* const frames = core != nullptr ? core->frames() : nullptr;
        return frames != nullptr ? frames->allocate(bytes) : nullptr;
    }
    static void operator delete(void* frame, std::size_t) { FrameStack::free(frame); }

    // Begins one that was made on this core, and runs it to its end.
    void run_outermost(ForkCore& core, ForkRoot& root) {
        core_ = &core;
        root_ = &root;
        core.run_to_end(*this, root.is_done);
    }
    // It runs `child`, and goes on behind it. Null: there was no memory for it.
    void call(ForkFrame* child) {
        if (!may_begin(child)) return;
        child->parent_ = this;
        child->core_ = core_;
        core_->run_next(*child);
    }
    // It runs `child`; from here on its continuation may run elsewhere, at the same time.
    void fork(ForkFrame* child) {
        if (!may_begin(child)) return;
        ForkCore& core = *core_;
        child->parent_ = this;
        child->core_ = &core;
        core.run_next(*child);
        child->is_forked_ = core.fork(*this); // no room: it was called
    }
    // Nothing that it has forked runs elsewhere.
    [[nodiscard]] bool is_joined() const {
        return !joins_.has_thefts() && trouble_.kind() != ForkTrouble::Kind::NoMemory;
    }
    // If it is not: it goes on when it is.
    void join() { go_on_joined(); }
    // Its body has come to its end.
    void end() {
        is_over_ = true;
        if (joins_.has_thefts()) [[unlikely]]
            return join_thefts();
        finish();
    }
    void keep_thrown(ForkFailure const& failure) { trouble_.keep(ForkTrouble::Kind::Thrown, failure); }
    // Behind a join: what was thrown below is thrown here.
    void throw_again() { trouble_.throw_again(); }

    // The core's own.
    void run_here() {
        if (is_over_) [[unlikely]]
            return finish();
        handle_.resume();
    }
    // It was not begun.
    void discard() { handle_.destroy(); }

  protected:
    void set_handle(std::coroutine_handle<> handle) { handle_ = handle; }

  private:
    // False: the parent goes on without it, since there is no memory, or a child before has failed.
    bool may_begin(ForkFrame* child) {
        if (child != nullptr && trouble_.kind() == ForkTrouble::Kind::None) [[likely]]
            return true;
        if (child != nullptr)
            child->discard();
        else
            trouble_.keep(ForkTrouble::Kind::NoMemory);
        go_on_joined();
        return false;
    }
    void run_stolen(ForkCore& thief) {
        joins_.add_theft();
        core_ = &thief;
        thief.run_frames(*this);
    }
    void go_on() { core_->run_next(*this); }
    // Once all that it has forked has ended; without memory its body does not go on.
    [[gnu::noinline]] void go_on_joined() {
        if (joins_.has_thefts()) return join_thefts();
        if (trouble_.kind() == ForkTrouble::Kind::NoMemory) is_over_ = true;
        go_on();
    }
    [[gnu::noinline]] void join_thefts() {
        ForkCore& core = *core_;
        inject::point();
        if (joins_.arrive()) go_on_behind_join(core);
    }
    // A child of it has ended on `core`, without it.
    [[gnu::noinline]] void child_has_ended(ForkCore& core) {
        if (core.has_frames(FrameStack::of(handle_.address()))) core.leave_frames();
        inject::point();
        if (joins_.end_child()) go_on_behind_join(core);
    }
    void go_on_behind_join(ForkCore& core) {
        joins_.reset();
        core_ = &core;
        core.adopt(FrameStack::of(handle_.address()));
        go_on_joined();
    }
    // The body is over, and all that it has forked; or it was given up.
    void finish() {
        ForkCore& core = *core_;
        ForkFrame* const parent = parent_;
        ForkRoot* const root = root_;
        bool const is_forked = is_forked_;
        bool const is_in_trouble = trouble_.kind() != ForkTrouble::Kind::None;
        if (is_in_trouble) [[unlikely]]
            trouble_.hand_to(parent != nullptr ? parent->trouble_ : root->trouble);
        handle_.destroy();
        if (parent == nullptr) return root->is_done.store(true, std::memory_order_release);
        if (is_forked && !core.take_back(*parent)) return parent->child_has_ended(core);
        parent->core_ = &core;
        if (is_in_trouble && (!is_forked || parent->trouble_.kind() == ForkTrouble::Kind::NoMemory)) [[unlikely]]
            return parent->go_on_joined();
        parent->go_on();
    }

    ForkCore* core_ = nullptr; // on which it runs, or has
    ForkFrame* parent_ = nullptr;
    ForkRoot* root_ = nullptr; // of the outermost
    std::coroutine_handle<> handle_;
    JoinCount joins_;
    bool is_forked_ = false; // and not called
    bool is_over_ = false;   // its body does not go on
    ForkTrouble trouble_;
};

} // namespace mxk
