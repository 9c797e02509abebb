// The ids of cores, for tests that use all of them, or another than the console's.
#pragma once

#include "base/panic.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/workers.hpp"

namespace mxk {

inline NodeVector<CoreId> all_cores() {
    auto ids = NodeVector<CoreId>::create(workers::count(), Worker::current().node());
    expect(ids.ok(), "a test needs some bytes of memory");
    for (std::size_t i = 0; i < workers::count(); ++i) ids.value().emplace(core_id(i));
    return std::move(ids).value();
}

// The core that the console does not work on, if there is one.
inline CoreId last_core() {
    return core_id(workers::count() - 1);
}

} // namespace mxk
