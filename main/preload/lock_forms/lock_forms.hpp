// The fabric of libmxk-locks.so, and a lock for it, whose user brings no node: it lies in a line of the thread that
// locks. Included by lock_kind.hpp, in place of locks/in_process/lock_forms/lock_forms.hpp.
#pragma once

#include <cstddef>
#include <new>

#include "base/units.hpp"
#include "locks/fabric/handed.hpp"
#include "locks/fabric/smp.hpp"
#include "locks/give_up.hpp"

namespace mxk::locks {

// A lock whose type only its functions know. For any thread, which counts as the core of its LockUser.
struct ThreadForm {
    std::size_t bytes = 0;
    void (*construct)(void* lock, SmpSite const& site) = nullptr;
    void (*destroy)(void* lock) = nullptr;
    // What they return unlock() takes, on any thread for all kinds but Hemlock's.
    void* (*lock)(void* lock) = nullptr;
    void* (*try_lock)(void* lock) = nullptr; // null: it is held. The function is null where the kind cannot try
    // Until give_up(argument), which is asked at each turn of the wait: null then. Of kinds whose waiters have a place
    // in the queue that they can leave.
    void* (*lock_unless)(void* lock, bool (*give_up)(void*), void* argument) = nullptr;
    void (*unlock)(void* lock, void* held) = nullptr;

    [[nodiscard]] constexpr bool is_there() const { return lock != nullptr; }
};

template <typename Lock> struct ThreadFunctions {
    using Node = typename Lock::Node;
    static_assert(alignof(Lock) <= cache_line_bytes && sizeof(Node) <= sizeof(LockLine));

    static void construct(void* lock, SmpSite const& site) { new (lock) Lock(site); }
    static void destroy(void* lock) { static_cast<Lock*>(lock)->~Lock(); }
    [[gnu::flatten]] static void* lock(void* lock) {
        auto* const node = new (static_cast<void*>(take_line())) Node{};
        static_cast<Lock*>(lock)->acquire(*node);
        return node;
    }
    static void* try_lock(void* lock) requires CanTry<Lock> {
        auto* const node = new (static_cast<void*>(take_line())) Node{};
        if (static_cast<Lock*>(lock)->try_acquire(*node)) return node;
        give_back(node);
        return nullptr;
    }
    static void* lock_unless(void* lock, bool (*give_up)(void*), void* argument) requires Abortable<Lock> {
        auto* const node = new (static_cast<void*>(take_line())) Node{};
        auto const asked = [=] { return give_up(argument); };
        if (static_cast<Lock*>(lock)->acquire_unless(*node, asked) != still_waits) return node;
        give_back(node);
        return nullptr;
    }
    [[gnu::flatten]] static void unlock(void* lock, void* held) {
        auto* const node = static_cast<Node*>(held);
        static_cast<Lock*>(lock)->release(*node);
        give_back(node);
    }

  private:
    static void give_back(Node* node) {
        node->~Node();
        give_line(new (static_cast<void*>(node)) LockLine{nullptr});
    }
};

template <typename Lock> constexpr ThreadForm thread_form() {
    using Functions = ThreadFunctions<Lock>;
    ThreadForm form{.bytes = sizeof(Lock),
                    .construct = &Functions::construct,
                    .destroy = &Functions::destroy,
                    .lock = &Functions::lock,
                    .unlock = &Functions::unlock};
    if constexpr (CanTry<Lock>) form.try_lock = &Functions::try_lock;
    if constexpr (Abortable<Lock>) form.lock_unless = &Functions::lock_unless;
    return form;
}

struct LockForms {
    ThreadForm threads{};
};

template <template <typename> typename Algorithm>
inline constexpr LockForms lock_forms{.threads = thread_form<Algorithm<Smp>>()};
template <template <typename> typename Algorithm> inline constexpr LockForms shared_lock_forms = lock_forms<Algorithm>;
// Those that need messages are not there.
template <template <typename> typename Algorithm> inline constexpr LockForms one_sided_lock_forms{};

} // namespace mxk::locks
