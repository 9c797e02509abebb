// tasks/threads/semaphore.hpp for the model checker.
#pragma once

#include "tasks/threads/mutex.hpp"
