// Runs of the mapping database on the cores of a set, in rounds (V. Uhlig, Scalability of Microkernel-Based Systems,
// 2005). What a core does is a coroutine: with locks it never suspends, and a core that waits for the others does what
// these ask of its TLB; where objects have owners its core runs their tasks whenever it waits.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/adaptive/mapping_options.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/progress.hpp"

namespace mxk::bench {

struct MappingRun {
    std::span<CoreId const> cores;
    MappingLocking locking;
    std::size_t pages;
    std::size_t rounds;
    Progress& progress;
};

// All: errors: no memory, interrupted by Ctrl-C. The console's task.

// E3. One space, which all cores of the set use, with as many memory objects as pages; the first core unmaps them all.
Result<Sample> run_unmap(MappingRun const& run);
// E4. All cores withdraw the right to write, the first one of all its pages, the others of one; then the first one sees
// to it that this is authoritative. Both together are its operation.
Result<Sample> run_revoke(MappingRun const& run);
// E5. Each core withdraws the right to write of its one page, again and again, without waiting for the others.
Result<Sample> run_revoke_independent(MappingRun const& run);

} // namespace mxk::bench
