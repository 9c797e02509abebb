// tasks/threads/thread_backend.hpp for the model checker: each thread is one of the layer's.
#pragma once

#include <array>

#include "tests/model/model_memory.hpp"

namespace mxk {

struct ThreadRecord {
    int end_holds = 0;
};

namespace thread_backend {

inline std::array<ThreadRecord, test::max_model_threads> model_records{};
inline ThreadRecord* current() {
    return &model_records.at(test::model_self());
}

} // namespace thread_backend
} // namespace mxk
