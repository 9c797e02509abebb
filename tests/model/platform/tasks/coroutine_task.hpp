// tasks/coroutine_task.hpp for the model checker, whose tasks are no coroutines.
#pragma once

#include "tasks/worker.hpp"
