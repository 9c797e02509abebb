// The locks of one object that can be divided: a coarse one for all of it, and fine ones for its parts. A visitor of a
// part takes all that are enabled, the coarse one first, and gives them back in the reverse order. The granularity
// changes while the object is in use: the new level is enabled, both are taken for a grace period, then the old one is
// disabled. As long as one visitor is alone both may be disabled (lock_state.hpp: its owner). The fine locks need
// memory only while they are enabled. (V. Uhlig, Scalability of Microkernel-Based Systems, Karlsruhe 2005: lock
// cascades.)
//
//     granularity    coarse lock             fine locks
//     None           disabled for the owner  none
//     Coarse         enabled                 none
//     (both)         enabled                 enabled       for one grace period, then the one or the other is disabled
//     Fine           disabled for all        enabled
//
// Why two visitors of a part always have a lock in common: in each grace period all that are inside have begun in this
// or in the state before it. Of two neighbouring rows each visitor of the one has a lock that each of the other has,
// but for None, which lock_state.hpp is about.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/lock.hpp"
#include "base/lock_rank.hpp"
#include "base/panic.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/sync/adaptive/grace_window.hpp"
#include "kernel/sync/adaptive/lock_state.hpp"
#include "kernel/sync/adaptive/visit.hpp"
#include "kernel/sync/rcu/callback.hpp"

namespace mxk {

enum class Granularity : std::uint8_t { None, Coarse, Fine };

// Inner: any lock. Visit: as for DynamicLock. Errors and blocking: as at each function.
template <Lock Inner, typename Visit = TaskVisit, typename Window = GraceWindow> class LockCascade : rcu::Callback {
    using State = LockState<Window>;

  public:
    struct Node {
        [[no_unique_address]] typename Inner::Node coarse_node{};
        [[no_unique_address]] typename Inner::Node fine_node{};
        bool has_coarse = false;
        bool is_alone = false;
        Inner* fine = nullptr;

        // Of a visit that has begun: nobody else is at any other part, either. It is alone, or it has the coarse lock
        // at a time when all take it.
        [[nodiscard]] bool has_all_parts() const { return fine == nullptr; }
    };

    // For `parts` parts, whose fine locks are to lie on `node`. The ranks: for locks that have one. Coarse at first.
    LockCascade(std::size_t parts, NodeId node, LockRank coarse_rank, LockRank fine_rank)
        : coarse_(made(coarse_rank))
        , fine_rank_(fine_rank)
        , node_(node)
        , parts_(parts) {
        function = &LockCascade::close;
    }
    LockCascade(LockCascade const&) = delete;
    LockCascade& operator=(LockCascade const&) = delete;
    // No change is under way.
    ~LockCascade() { expect(is_stable(), "a cascade goes when no change of its levels is under way"); }

    // Waits until the caller has the part. As DynamicLock's, also for who may call it.
    [[gnu::always_inline]] void lock(std::size_t part, Node& node) {
        Visit::begin();
        Way way = way_at_once(arch::exclusive_id());
        if (way == Way::Unknown) [[unlikely]]
            way = await_way(arch::exclusive_id());
        node.is_alone = way == Way::Alone;
        node.has_coarse = way == Way::Coarse;
        node.fine = nullptr;
        if (node.is_alone) [[likely]]
            return;
        Visit::begin_locked();
        if (node.has_coarse) coarse_.lock(node.coarse_node);
        inject::point();
        // acquire: pairs with refine(). After the coarse lock's state, which is PastCoarse only while there are some.
        Inner* const fine = fine_.load(std::memory_order_acquire);
        if (fine == nullptr) return;
        node.fine = &fine[part];
        node.fine->lock(node.fine_node);
    }
    [[gnu::always_inline]] void unlock(Node& node) {
        if (node.is_alone) [[likely]]
            return Visit::end_unlocked();
        if (node.fine != nullptr) node.fine->unlock(node.fine_node);
        if (node.has_coarse) coarse_.unlock(node.coarse_node);
        Visit::end_locked();
    }

    // As DynamicLock's.
    [[nodiscard]] bool may_lock() {
        auto const visitor = arch::exclusive_id();
        return way_at_once(visitor) != Way::Unknown || state_.take(visitor);
    }

    // All below: any core, tasks and threads, in no visit; each begins one step if no other one is under way, and says
    // whether it has. What ends it are callbacks of RCU.

    // From Coarse to Fine. Blocks for the allocator's lock. Errors: no memory; it stays Coarse.
    Result<bool> refine(rcu::Urgency urgency = rcu::Urgency::Next) {
        if (!begin_step()) return false;
        if (granularity() != Granularity::Coarse) return no_step();
        auto locks = NodeVector<Inner>::create(parts_, node_);
        if (!locks) {
            end_step();
            return locks.error();
        }
        fine_locks_ = std::move(locks.value());
        for (std::size_t i = 0; i < parts_; ++i) emplace_fine();
        urgency_ = urgency;
        step_ = Step::DisableCoarse;
        fine_.store(&fine_locks_[0], std::memory_order_release); // pairs with lock()
        Window::close_later(*this, urgency);
        return true;
    }
    // From Fine or None to Coarse.
    bool coarsen(rcu::Urgency urgency = rcu::Urgency::Next) {
        if (!begin_step()) return false;
        bool const is_alone = granularity() == Granularity::None;
        if (is_alone) state_.enable(urgency);
        if (is_alone || granularity() != Granularity::Fine) return no_step() || is_alone;
        urgency_ = urgency;
        step_ = Step::DisableFine;
        state_.take_back();
        Window::close_later(*this, urgency);
        return true;
    }
    // From Coarse to None: the caller's core (on Linux: the calling thread) comes without a lock.
    bool claim(rcu::Urgency urgency = rcu::Urgency::Next) {
        if (!begin_step()) return false;
        bool const begins = granularity() == Granularity::Coarse && state_.disable(arch::exclusive_id(), urgency);
        end_step();
        return begins;
    }

    // Of the last step that was completed; a moment old.
    [[nodiscard]] Granularity granularity() const {
        if (state_.look().is_free_for(State::everybody)) return Granularity::Fine;
        return state_.is_disabled() ? Granularity::None : Granularity::Coarse;
    }
    [[nodiscard]] bool is_stable() const { return !is_changing_.load(std::memory_order_acquire) && state_.is_stable(); }
    // Memory that the fine locks take now. While no change is under way.
    [[nodiscard]] std::size_t fine_bytes() const { return fine_locks_.size() * sizeof(Inner); }

  private:
    enum class Way : std::uint8_t { Unknown, Alone, PastCoarse, Coarse };
    enum class Step : std::uint8_t { None, DisableCoarse, DisableFine, FreeFine };

    static Inner made(LockRank rank) {
        if constexpr (std::constructible_from<Inner, LockRank>)
            return Inner(rank);
        else
            return Inner();
    }
    void emplace_fine() {
        if constexpr (std::constructible_from<Inner, LockRank>)
            fine_locks_.emplace(fine_rank_);
        else
            fine_locks_.emplace();
    }

    [[gnu::always_inline]] Way way_at_once(std::uintptr_t visitor) const {
        auto const state = state_.look();
        if (state.is_free_for(visitor)) [[likely]]
            return Way::Alone;
        if (state.is_free_for(State::everybody)) return Way::PastCoarse;
        return state.is_taken_by_all() ? Way::Coarse : Way::Unknown;
    }
    [[gnu::noinline]] Way await_way(std::uintptr_t visitor) {
        for (;;) {
            if (Way const way = way_at_once(visitor); way != Way::Unknown) return way;
            if (state_.take(visitor)) return Way::Coarse;
            Visit::begin_locked(); // may be preempted
            Visit::end_locked();
            state_.template await<Visit>([this] { return may_lock(); });
            Visit::begin();
        }
    }

    // Who has begun a step is alone in changing the levels, but for enable() by a visitor that waits.
    bool begin_step() {
        inject::point();
        if (is_changing_.exchange(true, std::memory_order_acq_rel)) return false; // pairs with end_step()
        if (state_.is_stable()) return true;
        return no_step();
    }
    bool no_step() {
        end_step();
        return false;
    }
    void end_step() { is_changing_.store(false, std::memory_order_release); }

    // The end of a window, by a callback of RCU.
    static void close(rcu::Callback& callback) {
        auto& self = static_cast<LockCascade&>(callback);
        inject::point();
        switch (self.step_) {
        case Step::DisableCoarse: self.state_.give_way(); break;
        case Step::DisableFine:
            self.state_.is_back();
            self.fine_.store(nullptr, std::memory_order_release);
            self.step_ = Step::FreeFine;
            return GraceWindow::close_later(self, self.urgency_); // memory, whatever closes a change
        case Step::FreeFine: self.fine_locks_ = {}; break;
        case Step::None: break;
        }
        self.step_ = Step::None;
        self.end_step();
    }

    State state_; // of the coarse lock
    Inner coarse_;
    std::atomic<Inner*> fine_{nullptr};
    LockRank fine_rank_;
    NodeId node_;
    std::size_t parts_;
    // Of who has begun a step, and its callbacks.
    std::atomic<bool> is_changing_{false};
    Step step_ = Step::None;
    rcu::Urgency urgency_ = rcu::Urgency::Next;
    NodeVector<Inner> fine_locks_;
};

} // namespace mxk
