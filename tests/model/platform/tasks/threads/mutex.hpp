// tasks/threads/mutex.hpp for the model checker: a mutex that is taken to be right.
#pragma once

#include "arch/core_local.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

using Mutex = test::ModelMutex;

} // namespace mxk
