// Condition variables for mutexes of the suite: glibc's would release and lock glibc's mutex. A queue of waiters, first
// come, first served, in the first 24 of the 48 bytes; zeros are an empty one. Behind them stays what glibc's
// initialisation says: which clock, and whether it is shared with other processes, which is left to glibc.
#pragma once

#include "main/preload/mutex_operations.hpp"

namespace mxk::preload {

int wait_by_clock(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, timespec const* deadline);
extern ConditionOperations const queue_operations;
extern ConditionOperations const old_queue_operations;

// In a child that was forked: those who waited in the parent are not here.
void forget_waiters();

} // namespace mxk::preload
