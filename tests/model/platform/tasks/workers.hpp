// tasks/workers.hpp for the model checker: the workers of a use.
#pragma once

#include "tasks/worker.hpp"

namespace mxk::workers {

inline Worker& of(CoreId core) {
    return *test::model_workers.at(index(core));
}
inline std::size_t count() {
    return test::model_worker_count;
}

} // namespace mxk::workers
