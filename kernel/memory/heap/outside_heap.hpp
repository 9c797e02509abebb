// The heap of those who are no task: a heap of node 0 that they share under a lock. On metal that is only for what runs
// before the workers do; threads use their core's. On Linux it is for all threads besides the cores'.
#pragma once

namespace mxk::heap {

class CoreHeap;

// Others have sent much back to a heap that is no core's. Any thread.
void tend_outside(CoreHeap& heap);
// With all memory of the nodes. While nobody allocates.
void forget_outside();
// It, or null if nobody has needed one. Calls visit(heap, context) with its lock held. Any thread.
void visit_outside(void (*visit)(CoreHeap& heap, void* context), void* context);

} // namespace mxk::heap
