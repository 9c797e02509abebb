// The kinds of locks that there are, for tests and benchmarks: each registers itself where it is defined, with what it
// takes to use it without knowing its type. A kind is made for every fabric that the program has (lock_forms.hpp).
//
//     template <typename F> class MyLock { ... };                                      // locks/algorithm.hpp says what
//     constexpr LockKind my_lock{.name = "my-lock", ..., .forms = lock_forms<MyLock>};
//     MXK_REGISTER(mxk_lock_kinds, LockKind, my_lock);
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>

#include "arch/sections.hpp"
#include "base/registry.hpp"
#include "locks/algorithm.hpp"
#include "locks/fabric/lock_counts.hpp"

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
    // In memory of that size; `site`: the fabric's. One core, while nobody uses the lock.
    void (*construct)(void* lock, void const* site) = nullptr;
    void (*destroy)(void* lock) = nullptr;
    // Of one user, for as long as it uses the lock.
    void (*construct_node)(void* node) = nullptr;
    void (*destroy_node)(void* node) = nullptr;
    void (*lock)(void* lock, void* node) = nullptr;
    void (*unlock)(void* lock, void* node) = nullptr;
    // So many sections with nothing in them, in one call.
    void (*repeat)(void* lock, void* node, std::uint64_t sections) = nullptr;
    // All 0 where the fabric does not count.
    LockCounts (*counts)(void const* node) = nullptr;

    [[nodiscard]] constexpr bool is_there() const { return lock != nullptr; }
};

template <typename Lock, typename Site> constexpr LockForm form_of() {
    using Node = typename Lock::Node;
    return {.bytes = sizeof(Lock),
            .alignment = alignof(Lock),
            .node_bytes = sizeof(Node),
            .node_alignment = alignof(Node),
            .construct = [](void* lock, void const* site) { new (lock) Lock(*static_cast<Site const*>(site)); },
            .destroy = [](void* lock) { static_cast<Lock*>(lock)->~Lock(); },
            .construct_node = [](void* node) { new (node) Node{}; },
            .destroy_node = [](void* node) { static_cast<Node*>(node)->~Node(); },
            .lock =
                [](void* lock, void* node) {
                    arch::hold_core();
                    static_cast<Lock*>(lock)->acquire(*static_cast<Node*>(node));
                },
            .unlock =
                [](void* lock, void* node) {
                    static_cast<Lock*>(lock)->release(*static_cast<Node*>(node));
                    arch::release_core();
                },
            .repeat =
                [](void* lock, void* node, std::uint64_t sections) {
                    auto& own = *static_cast<Node*>(node);
                    for (; sections != 0; --sections) {
                        arch::hold_core();
                        static_cast<Lock*>(lock)->acquire(own);
                        static_cast<Lock*>(lock)->release(own);
                        arch::release_core();
                    }
                },
            .counts =
                [](void const* node) {
                    if constexpr (requires { static_cast<Node const*>(node)->count.counts; })
                        return static_cast<Node const*>(node)->count.counts;
                    else
                        return LockCounts{};
                }};
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

struct LockKind {
    std::string_view name;
    std::string_view summary;   // a line
    std::string_view library{}; // of a peer that locks are compared with, with its version; empty: MXK's
    std::string_view missing{}; // why it was not built; empty: it was
    Fairness fairness = Fairness::Unbounded;
    bool has_nodes = false; // prefers workers of the holder's node
    LockOperations operations{};
    LockForms forms{};
};

MXK_REGISTRY(mxk_lock_kinds, LockKind, registered_lock_kinds)

} // namespace mxk::locks
