// What a simulator or a debugger recognises the measured part of a benchmark by: each core that measures calls these
// right before its first time stamp and right after its last one; or the frame calls them around a whole run
// (Experiment::is_measured_as_a_whole). On Linux they ask the system what it has done meanwhile
// (arch/run_evidence.hpp); on the bare machine they do nothing. tools/mxk simulate models the machine from the first
// call until as many cores have called the second one; all else runs without the model.
#pragma once

namespace mxk::bench {

// Any core. In pairs; a core may be in several parts at a time.
void measured_part_begins();
void measured_part_ends();
// The same without what a simulator sees: where a run is measured as a whole, on the cores beside the console's.
void unseen_part_begins();
void unseen_part_ends();
// Whether these do anything. The same on all cores while a run is made.
bool are_parts_watched();

} // namespace mxk::bench
