// The kinds of locks that there are, for tests and benchmarks: each registers itself where it is defined, with what it
// takes to use it without knowing its type. A kind is made for every fabric that the program has (lock_forms.hpp).
//
//     template <typename F> class MyLock { ... };                                      // locks/algorithm.hpp says what
//     constexpr LockKind my_lock{.name = "my-lock", ..., .forms = lock_forms<MyLock>};
//     MXK_REGISTER(mxk_lock_kinds, LockKind, my_lock);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>

#include "arch/sections.hpp"
#include "base/registry.hpp"
#include "locks/algorithm.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/give_up.hpp"

namespace mxk::locks {

// How many others may go first, while one waits.
enum class Fairness : std::uint8_t { Fifo, Bounded, Unbounded };

constexpr std::string_view name_of(Fairness fairness) {
    switch (fairness) {
    case Fairness::Fifo: return "fifo";
    case Fairness::Bounded: return "bounded";
    case Fairness::Unbounded: break;
    }
    return "unbounded";
}

// A lock whose type only its functions know. All of them for users: a task, or a thread that is not preempted
// meanwhile.
struct LockForm {
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    std::size_t node_bytes = 0;
    std::size_t node_alignment = 1;
    bool has_caches = false; // passes are limited, and counted, within a cache, too
    // In memory of that size; `site`: the fabric's. One core, while nobody uses the lock.
    void (*construct)(void* lock, void const* site) = nullptr;
    void (*destroy)(void* lock) = nullptr;
    // Of one user, for as long as it uses the lock.
    void (*construct_node)(void* node) = nullptr;
    void (*destroy_node)(void* node) = nullptr;
    void (*lock)(void* lock, void* node) = nullptr;
    void (*unlock)(void* lock, void* node) = nullptr;
    // lock(), unless give_up(argument) says yes at a turn of its wait; whether the caller has it. Null: the kind's
    // waiters cannot give up.
    bool (*lock_unless)(void* lock, void* node, bool (*give_up)(void*), void* argument) = nullptr;
    // Of a lock that is given sections, in place of lock() and unlock(): returns when section(argument) has been
    // called, alone, maybe by another user on its core.
    void (*run)(void* lock, void* node, void (*section)(void*), void* argument) = nullptr;
    // So many sections with nothing in them, in one call.
    void (*repeat)(void* lock, void* node, std::uint64_t sections) = nullptr;
    // All 0 where the fabric does not count.
    LockCounts (*counts)(void const* node) = nullptr;

    [[nodiscard]] constexpr bool is_there() const { return lock != nullptr; }
    [[nodiscard]] constexpr bool can_run() const { return is_there() || run != nullptr; }
};

template <typename Lock, typename Site> struct LockFunctions {
    using Node = typename Lock::Node;
    static void construct(void* lock, void const* site) { new (lock) Lock(*static_cast<Site const*>(site)); }
    static void destroy(void* lock) { static_cast<Lock*>(lock)->~Lock(); }
    static void construct_node(void* node) { new (node) Node{}; }
    static void destroy_node(void* node) { static_cast<Node*>(node)->~Node(); }
    [[gnu::always_inline]] static void acquire(void* lock, void* node) {
        arch::hold_core();
        static_cast<Lock*>(lock)->acquire(*static_cast<Node*>(node));
    }
    [[gnu::always_inline]] static void release(void* lock, void* node) {
        static_cast<Lock*>(lock)->release(*static_cast<Node*>(node));
        arch::release_core();
    }
    static bool acquire_unless(void* lock, void* node, bool (*give_up)(void*), void* argument) {
        arch::hold_core();
        auto const asked = [=] { return give_up(argument); };
        bool const has_it =
            locks::acquire_unless<Smp>(*static_cast<Lock*>(lock), *static_cast<Node*>(node), asked) != still_waits;
        if (!has_it) arch::release_core();
        return has_it;
    }
    static LockCounts counts(void const* node) {
        if constexpr (requires { static_cast<Node const*>(node)->count.counts; })
            return static_cast<Node const*>(node)->count.counts;
        else
            return LockCounts{};
    }
};
// Of a form that is measured everything is inlined that can be, whatever else is in the file.
template <typename Lock, typename Site, bool is_measured> struct LockUse : LockFunctions<Lock, Site> {
    using Of = LockFunctions<Lock, Site>;
    [[gnu::flatten]] static void lock(void* lock, void* node) { Of::acquire(lock, node); }
    [[gnu::flatten]] static void unlock(void* lock, void* node) { Of::release(lock, node); }
    [[gnu::flatten]] static void repeat(void* lock, void* node, std::uint64_t sections) {
        for (; sections != 0; --sections) {
            Of::acquire(lock, node);
            Of::release(lock, node);
        }
    }
};
// All others are compiled once, and called.
template <typename Lock, typename Site> struct LockUse<Lock, Site, false> : LockFunctions<Lock, Site> {
    using Of = LockFunctions<Lock, Site>;
    [[gnu::noinline]] static void lock(void* lock, void* node) { Of::acquire(lock, node); }
    [[gnu::noinline]] static void unlock(void* lock, void* node) { Of::release(lock, node); }
    static void repeat(void* it, void* node, std::uint64_t sections) {
        for (; sections != 0; --sections) {
            lock(it, node);
            unlock(it, node);
        }
    }
};

template <typename Lock, typename Site, bool is_measured = false> constexpr LockForm form_of() {
    using Functions = LockUse<Lock, Site, is_measured>;
    using Node = typename Lock::Node;
    LockForm form{.bytes = sizeof(Lock),
                  .alignment = alignof(Lock),
                  .node_bytes = sizeof(Node),
                  .node_alignment = alignof(Node),
                  .has_caches = requires {Lock::levels;
}
, .construct = &Functions::construct, .destroy = &Functions::destroy, .construct_node = &Functions::construct_node,
  .destroy_node = &Functions::destroy_node, .lock = &Functions::lock, .unlock = &Functions::unlock,
  .repeat = &Functions::repeat, .counts = &Functions::counts
}; // namespace mxk::locks
if constexpr (std::same_as<Site, SmpSite> && CanGiveUp<Lock>) form.lock_unless = &Functions::acquire_unless;
return form;
}

} // namespace mxk::locks

#include "lock_forms/lock_forms.hpp" // this program's: needs what stands above

namespace mxk::locks {

// How many one-sided operations a lock takes, of a worker on another node than the home. What is not given depends on
// how often somebody looks. A test counts them.
struct LockOperations {
    std::optional<OneSidedCounts> acquire{}; // a free lock, with a new node
    std::optional<OneSidedCounts> release{}; // that nobody waits for
    std::optional<OneSidedCounts> join{};    // a queue behind a holder on another node
    std::optional<OneSidedCounts> hand_over{};
};
// Of several kinds: of a word at the home, of one that tickets are drawn from, of a queue whose end is at the home.
inline constexpr LockOperations one_each{.acquire = {{.home = 1}}, .release = {{.home = 1}}};
inline constexpr LockOperations two_and_one{.acquire = {{.home = 2}}, .release = {{.home = 1}}};
inline constexpr LockOperations as_mcs{.acquire = {{.home = 1}},
                                       .release = {{.home = 1}},
                                       .join = {{.home = 1, .others = 1}},
                                       .hand_over = {{.others = 1}}};
inline constexpr LockOperations as_mcs_by_message{.acquire = {{.home = 1}},
                                                  .release = {{.home = 1}},
                                                  .join = {{.home = 1, .others = 1}},
                                                  .hand_over = {{.messages = 1}}};

// The kind's place among those that are measured if none is named, by fabric; 0: it is not. Numbers leave gaps.
struct DefaultPlace {
    std::uint8_t smp = 0;
    std::uint8_t emulated = 0;
    std::uint8_t mpi = 0;
};

struct LockKind {
    std::string_view name;
    std::string_view summary;   // a line
    std::string_view library{}; // of a peer that locks are compared with, with its version; empty: MXK's
    std::string_view missing{}; // why it was not built; empty: it was
    Fairness fairness = Fairness::Unbounded;
    bool has_nodes = false;   // prefers workers of the holder's node
    bool of_one_node = false; // all its users have one memory, whatever the fabric
    LockOperations operations{};
    DefaultPlace by_default{};
    LockForms forms{};
};

// A kind of MXK's own, that makes nothing of nodes, and one that does.
constexpr LockKind flat_lock(std::string_view name, std::string_view summary, Fairness fairness, LockForms const& forms,
                             LockOperations const& operations = {}, DefaultPlace by_default = {}) {
    return {.name = name,
            .summary = summary,
            .fairness = fairness,
            .operations = operations,
            .by_default = by_default,
            .forms = forms};
}
constexpr LockKind node_lock(std::string_view name, std::string_view summary, Fairness fairness, LockForms const& forms,
                             LockOperations const& operations, DefaultPlace by_default = {}) {
    LockKind kind = flat_lock(name, summary, fairness, forms, operations, by_default);
    kind.has_nodes = true;
    return kind;
}

MXK_REGISTRY(mxk_lock_kinds, LockKind, registered_lock_kinds)

} // namespace mxk::locks
