// Names of files, for Tab. One core at a time; waits for the file system.
#pragma once

#include "kernel/console/completion.hpp"

namespace mxk::console {

// Offers the regular files of the directory that the word names, or begins to: on the bare machine the loader's
// modules. None where it cannot be listed, or has more than there is room for.
void complete_file_name(Candidates& candidates);

} // namespace mxk::console
