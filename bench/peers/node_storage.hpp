// MXK's node memory (2 MiB pages where the machine has them) for tables that are written with exceptions.
#pragma once

#include <stdexcept>
#include <string>

#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// What there is a result of; what there is not, is thrown.
template <typename T> T value_or_throw(Result<T> result) {
    if (!result) throw std::runtime_error(std::string(result.error().message()));
    return std::move(result).value();
}

// Room for `count` objects near a core, every byte 0. Throws where there is no memory.
template <typename T> NodeArray<T> zeroed_near(std::size_t core, std::size_t count) {
    return value_or_throw(NodeArray<T>::create_zeroed(count, workers::of(core_id(core)).node()));
}

// Room for a NodeVector near a core. Throws where there is no memory.
template <typename T> NodeVector<T> vector_near(std::size_t core, std::size_t capacity) {
    return value_or_throw(NodeVector<T>::create(capacity, workers::of(core_id(core)).node()));
}

} // namespace mxk::bench
