// base/spin_wait.hpp for the model checker: a waiter stops until it reads another value.
#pragma once

#include <cstddef>

#include "tests/model/weak_memory.hpp"

namespace mxk {

inline bool processors_may_be_taken = false;

class SpinWait {
  public:
    void turn() { test::WeakMemory::current().turn(turns_++); }

  private:
    std::size_t turns_ = 0;
};

} // namespace mxk
