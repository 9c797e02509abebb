// An MxTask (thesis section 2.3): a small piece of work that runs to completion and is never preempted. It may change
// its body and re-append itself, to the core it runs on or to another. It is intrusive: its owner must keep it alive
// until its body has run and did not append it again, and must not touch it while a queue or another core has it.
//
//     owned by its creator -> in one queue -> running on that queue's core -> in one queue | owned as the body says
#pragma once

#include "base/units.hpp"
#include "tasks/annotation.hpp"

namespace mxk {

class Worker;

// Derived tasks add their payload behind; up to 32 bytes of it share the one cache line (36, if 4 of them are such as
// fit behind `home`).
struct alignas(cache_line_bytes) Task {
    using Body = void (*)(Worker& worker, Task& task);

    constexpr explicit Task(Body first_body, CoreId home_core = {})
        : body(first_body)
        , home(home_core) {}

    Task* next = nullptr; // the queue's, while in one
    Body body;            // what runs next
    Annotation touches{}; // what that will touch; set before the task is appended
    CoreId home;          // where it returns to when its work elsewhere is done
};

} // namespace mxk
