// Some threads that each enter a few sections under a lock, as a program for the model checker: in a section a plain
// variable is read and written twice, so that sections which do not follow each other race, or see each other.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "locks/fabric/handed.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "locks/give_up.hpp"
#include "tests/model/grouped_workers.hpp"
#include "tests/model/modelled_fabric.hpp"
#include "tests/model/weak_memory.hpp"

namespace mxk::test {

struct LockUse {
    std::vector<std::size_t> sections; // of each thread
    // The first threads are on the first node, so many on each, or of as many as share a cache.
    std::size_t on_each_node = max_model_threads;
    std::size_t in_each_cache = max_model_threads;
    locks::Handed max_passes = 1;
    std::size_t turns = 0;    // of a loop that waits
    std::size_t locks = 1;    // used in turn
    bool keeps_nodes = false; // for all sections of a thread; else each has one, at the same place as on a stack
    // Which threads may give up at any turn of a wait, from the moment another thread lets them.
    std::set<std::size_t> give_up{};
    std::size_t patience = 0; // how often they are asked in vain before
    // Where each thread enters first, of locks whose nodes say that; none: where new nodes do.
    std::vector<locks::Level> levels{};
};

// The sections of each lock in their order.
struct SectionOfRun {
    std::size_t lock;
    std::size_t thread;
    locks::Handed passes; // as the holder knows them; 0: the upper lock did not come from the section before
    locks::Level level = locks::Level::Cache;   // where it was to enter, of locks whose nodes say that
    locks::Level entered = locks::Level::Cache; // and has entered
    auto operator<=>(SectionOfRun const&) const = default;
};
using Outcome = std::vector<SectionOfRun>;

// Sections in a row whose holders had the upper lock from the one before.
template <typename Node>
concept KnowsPasses = requires(Node& node) {
    { node.passes } -> std::convertible_to<locks::Handed>;
};
// The same, asked of the lock.
template <typename Lock>
concept TellsPasses = requires(Lock& lock, typename Lock::Node& node) {
    { lock.passes(node) } -> std::convertible_to<locks::Handed>;
};

// Whose users choose the level of the lock that they enter.
template <typename Node>
concept HasLevel = requires(Node& node) {
    { node.level } -> std::same_as<locks::Level&>;
    { node.entered } -> std::same_as<locks::Level&>;
};

// A lock over the model's fabric, whose type only its functions know, so that what explores it is compiled once.
struct ModelledLock {
    std::size_t bytes;
    std::size_t alignment;
    std::size_t node_bytes;
    std::size_t node_alignment;
    void (*construct)(void* lock, ModelSite const& site);
    void (*destroy)(void* lock);
    void (*construct_node)(void* node);
    void (*acquire)(void* lock, void* node);
    void (*release)(void* lock, void* node);
    bool (*acquire_unless)(void* lock, void* node, bool (*give_up)()); // null: its waiters cannot give up
    locks::Handed (*passes)(void* lock, void* node);                   // the holder's; null: it does not know
    std::size_t levels = 1;                       // of nodes and caches, whose passes are limited each
    locks::Level* (*level)(void* node) = nullptr; // null: there is none
    locks::Level* (*entered)(void* node) = nullptr;
};
template <typename Lock> consteval ModelledLock modelled_lock() {
    using Node = typename Lock::Node;
    ModelledLock lock{
        .bytes = sizeof(Lock),
        .alignment = alignof(Lock),
        .node_bytes = sizeof(Node),
        .node_alignment = alignof(Node),
        .construct = [](void* at, ModelSite const& site) { new (at) Lock(site); },
        .destroy = [](void* at) { static_cast<Lock*>(at)->~Lock(); },
        .construct_node = [](void* at) { new (at) Node; },
        .acquire = [](void* at, void* node) { static_cast<Lock*>(at)->acquire(*static_cast<Node*>(node)); },
        .release = [](void* at, void* node) { static_cast<Lock*>(at)->release(*static_cast<Node*>(node)); },
        .acquire_unless = nullptr,
        .passes = nullptr};
    if constexpr (locks::CanGiveUp<Lock>)
        lock.acquire_unless = [](void* at, void* node, bool (*give_up)()) {
            return locks::acquire_unless<Modelled>(*static_cast<Lock*>(at), *static_cast<Node*>(node), give_up) !=
                   locks::still_waits;
        };
    if constexpr (KnowsPasses<Node>)
        lock.passes = [](void*, void* node) { return locks::Handed{static_cast<Node*>(node)->passes}; };
    if constexpr (TellsPasses<Lock>) {
        lock.passes = [](void* its_lock, void* node) {
            return static_cast<Lock*>(its_lock)->passes(*static_cast<Node*>(node));
        };
        if constexpr (requires { Lock::levels; }) lock.levels = Lock::levels;
    }
    if constexpr (HasLevel<Node>) {
        lock.level = [](void* node) { return &static_cast<Node*>(node)->level; };
        lock.entered = [](void* node) { return &static_cast<Node*>(node)->entered; };
    }
    return lock;
}

class LockProgram {
  public:
    // `tells`: the number of passes that the lock is told, if it is not that of `use`. `known`: all orders of sections
    // that there may be; null: all that there are.
    LockProgram(ModelledLock const& lock, LockUse const& use, locks::Handed tells, std::set<Outcome> const* known)
        : lock_(lock)
        , use_(use)
        , known_(known)
        , workers_(use.sections.size(), use.on_each_node, use.in_each_cache)
        , topology_(workers_.view()) {
        site_ = {&topology_, tells};
        program_.begin = [this] { begin(); };
        for (std::size_t i = 0; i < use.sections.size(); ++i) program_.threads.emplace_back([this, i] { run(i); });
        program_.end = [this] { end(); };
    }
    LockProgram(LockProgram const&) = delete;
    LockProgram& operator=(LockProgram const&) = delete;

    [[nodiscard]] ModelProgram const& program() const { return program_; }
    [[nodiscard]] std::set<Outcome> const& outcomes() const { return outcomes_; }

  private:
    // What a lock protects.
    struct Locked {
        void* lock;
        ModelPlain<std::uint32_t> halves; // of sections: odd within one
        ModelPlain<std::uint32_t> passes; // in a row
        explicit Locked(void* its_lock)
            : lock(its_lock) {}
    };

    void begin() {
        ModelMemory::begin_run();
        ModelUsers::begin_run();
        outcome_.clear();
        for (std::size_t i = 0; i < use_.locks; ++i) {
            void* const lock = ModelMemory::allocate(lock_.bytes, lock_.alignment);
            lock_.construct(lock, site_);
            locked_[i] = ModelMemory::make<Locked>(lock);
        }
        for (std::size_t i = 0; i < use_.sections.size(); ++i)
            nodes_[i] = ModelMemory::allocate(lock_.node_bytes, lock_.node_alignment);
        its_patience_ = use_.patience;
        may_give_up_ = use_.give_up.empty() ? nullptr : ModelMemory::make<ModelWord<std::uint32_t, false>>(0U);
    }
    void run(std::size_t thread) {
        void* const node = nodes_[thread];
        bool const gives_up = use_.give_up.contains(thread);
        if (may_give_up_ != nullptr && !gives_up) may_give_up_->store(1, std::memory_order_relaxed);
        for (std::size_t i = 0; i < use_.sections[thread]; ++i) {
            std::size_t const which = i % use_.locks;
            Locked& locked = *locked_[which];
            if (i == 0 || !use_.keeps_nodes) lock_.construct_node(node);
            if (i == 0 && !use_.levels.empty()) *lock_.level(node) = use_.levels[thread];
            said_yes_[thread] = false;
            asked_[thread] = 0;
            if (!gives_up) {
                lock_.acquire(locked.lock, node);
            } else if (!lock_.acquire_unless(locked.lock, node, &LockProgram::asks)) {
                WeakMemory::current().check(said_yes_[thread], "a waiter gives up that was not told to");
                continue;
            }
            enter(locked, node, {which, thread, locks::acquire_upper});
            lock_.release(locked.lock, node);
        }
        ModelUsers::end();
    }
    static bool asks() {
        std::size_t const self = WeakMemory::current().self() - 1;
        if (asked_[self]++ < its_patience_ || may_give_up_->load(std::memory_order_relaxed) == 0) return false;
        return said_yes_[self] = true;
    }
    void enter(Locked& locked, void* node, SectionOfRun section) {
        WeakMemory& memory = WeakMemory::current();
        std::uint32_t const halves = locked.halves.read();
        memory.check(halves % 2 == 0, "two are in a section");
        locked.halves.write(halves + 1);
        if (lock_.passes != nullptr) {
            section.passes = lock_.passes(locked.lock, node);
            std::uint32_t const passes = section.passes != locks::acquire_upper ? locked.passes.read() + 1 : 0;
            memory.check(section.passes <= use_.max_passes, "a lock is passed on too often");
            memory.check(passes <= use_.max_passes || lock_.levels > 1, "a node keeps the lock for too long");
            locked.passes.write(passes);
        }
        if (lock_.level != nullptr) {
            section.level = *lock_.level(node);
            section.entered = *lock_.entered(node);
        }
        outcome_.push_back(section);
        locked.halves.write(halves + 2);
    }
    void end() {
        std::size_t halves = 0;
        for (std::size_t i = 0; i < use_.locks; ++i) {
            halves += locked_[i]->halves.read();
            lock_.destroy(locked_[i]->lock);
        }
        WeakMemory::current().check(halves == 2 * outcome_.size(), "a section is lost");
        Outcome in_order; // sections of different locks have none
        for (std::size_t i = 0; i < use_.locks; ++i)
            std::ranges::copy_if(outcome_, std::back_inserter(in_order),
                                 [i](SectionOfRun const& section) { return section.lock == i; });
        WeakMemory::current().check(known_ == nullptr || known_->contains(in_order), "an order that the lock has not");
        outcomes_.insert(std::move(in_order));
    }

    ModelledLock const& lock_;
    LockUse use_;
    std::set<Outcome> const* known_;
    GroupedWorkers workers_;
    locks::LockTopology topology_;
    ModelSite site_{};
    ModelProgram program_;
    std::array<Locked*, 2> locked_{};
    std::array<void*, max_model_threads> nodes_{};
    Outcome outcome_; // of the run
    std::set<Outcome> outcomes_;
    static inline ModelWord<std::uint32_t, false>* may_give_up_ = nullptr;
    static inline std::size_t its_patience_ = 0;
    // Of the section that it waits for.
    static inline std::array<bool, max_model_threads> said_yes_{};
    static inline std::array<std::size_t, max_model_threads> asked_{};
};

struct LockExploration : ModelExploration {
    std::set<Outcome> outcomes;
};

// `tells`, `known`: see above.
inline LockExploration explore(ModelledLock const& lock, LockUse const& use, std::size_t max_executions,
                               locks::Handed tells, std::set<Outcome> const* known = nullptr) {
    LockProgram const program(lock, use, tells, known);
    WeakMemory memory;
    return {memory.explore(program.program(), max_executions, use.turns), program.outcomes()};
}

} // namespace mxk::test
