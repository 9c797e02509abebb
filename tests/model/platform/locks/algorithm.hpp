// For the model checker, whose fabric is another one (modelled_fabric.hpp): what is asked of a lock, without the locks
// of the kernel.
#pragma once

#include <concepts>

#include "locks/fabric/handed.hpp"
#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

template <typename L>
concept LocalAlgorithm = requires(L& lock, typename L::Node& node, Handed handed) {
    { lock.acquire(node) } -> std::same_as<Handed>;
    lock.release(node, handed);
    { lock.alone(node) } -> std::same_as<bool>;
};

} // namespace mxk::locks
