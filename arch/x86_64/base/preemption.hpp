// Keeping the core: if a thread were preempted while it holds a spin lock, all others of its core could wait for it for
// ever.
#pragma once

namespace mxk {

// Any core, tasks too (which nothing preempts anyway). To be released as often as held. hold_preemption() never blocks;
// release_preemption() may, where a slice has ended meanwhile.
void hold_preemption();
void release_preemption();

} // namespace mxk
