// For the model checker: lines that locks' records are in. A line that is given back is one that nobody may use.
#pragma once

#include <cstddef>

#include "tests/model/model_memory.hpp"

namespace mxk {

struct alignas(64) LockLine {
    std::byte bytes[64];
};

namespace locks {

inline LockLine* take_line() {
    return test::ModelMemory::make<LockLine>();
}
inline void give_line(LockLine* line) {
    test::ModelMemory::give_back(line, sizeof(LockLine));
}

} // namespace locks
} // namespace mxk
