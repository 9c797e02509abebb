// The keys of `--keys file:PATH`: one on each line, decimal or with 0x in front. A bare machine has no files and says
// so.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

// Reads as many keys as there are operations, into memory of `node`, and tells the workload, whose they are as long as
// what is returned lives; nothing where the workload's keys come from elsewhere. Errors: no such file, or too few keys
// in it; a line that is no key, 0, or that was there before; no memory. The console's task, which waits for the file
// system.
Result<NodeArray<std::uint64_t>> read_keys(Workload& workload, NodeId node);

} // namespace mxk::bench
