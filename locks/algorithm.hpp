// What a lock's algorithm is: written once against a fabric (locks/fabric/), and used as a lock of the kernel, as
// part of another one, or over memory that is not shared.
#pragma once

#include <concepts>

#include "arch/sections.hpp"
#include "base/lock.hpp"
#include "locks/fabric/handed.hpp"
#include "locks/fabric/smp.hpp"

namespace mxk::locks {

// What a lock's algorithm gives. acquire() waits until the caller has the lock. release(): the holder's, with the node
// of its acquire(). Any worker of the lock's site.
template <typename L>
concept Algorithm = std::default_initializable<typename L::Node> && requires(L& lock, typename L::Node& node) {
    lock.acquire(node);
    lock.release(node);
};

// One that can be the lock of a node.
template <typename L>
concept LocalAlgorithm = Algorithm<L> && requires(L& lock, typename L::Node& node, Handed handed) {
    { lock.acquire(node) } -> std::same_as<Handed>;
    lock.release(node, handed);
    // The holder's: nobody waits that it knows of. A wrong yes costs a release of the upper lock.
    { lock.alone(node) } -> std::same_as<bool>;
};

// An algorithm as a lock of the kernel (base/lock.hpp): its users are tasks, and threads, which are not preempted while
// they wait or hold it; not interrupt handlers.
template <typename AlgorithmType> class KernelLock {
  public:
    using Node = typename AlgorithmType::Node;

    constexpr explicit KernelLock(SmpSite const& site = {})
        : algorithm_(site) {}
    [[gnu::always_inline]] void lock(Node& node) {
        arch::hold_core();
        algorithm_.acquire(node);
    }
    [[gnu::always_inline]] void unlock(Node& node) {
        algorithm_.release(node);
        arch::release_core();
    }

  private:
    AlgorithmType algorithm_;
};

} // namespace mxk::locks
