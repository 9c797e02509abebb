// Keeping the core: a thread that is preempted while it holds a spin lock would keep all others of its core waiting for
// ever. Provided by each arch/; on Linux the system preempts whom it likes, and who waits offers it the processor.
#pragma once

namespace mxk {

// Any core, tasks too (which nothing preempts anyway); as often released as held. Never block; releasing may, where a
// slice has ended meanwhile.
void hold_preemption();
void release_preemption();

} // namespace mxk
