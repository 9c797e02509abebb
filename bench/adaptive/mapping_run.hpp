// Runs of the mapping database on the cores of a set, in rounds (V. Uhlig, Scalability of Microkernel-Based Systems,
// 2005). What a core does is a coroutine: with locks it never suspends, and a core that waits for the others does what
// these ask of its TLB; where objects have owners its core runs their tasks whenever it waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/progress.hpp"

namespace mxk::bench {

// What keeps others from a memory object: nothing, for each has one core only; a spin lock for all; one for each; a
// dynamic lock for each, which is disabled for the one core that uses the object; messages, since each object, or all
// of them, are one core's; a cascade over all objects, with the granularity that fits the number of cores that come to
// it, or with its coarse, or its fine locks.
enum class MappingLocking : std::uint8_t {
    None,
    Coarse,
    Fine,
    Dynamic,
    Message,
    MessageOne,
    Cascade,
    CascadeCoarse,
    CascadeFine
};

// As they are typed and as they stand in results.
constexpr auto value_names(MappingLocking) {
    using Named = console::NamedValue<MappingLocking>;
    return std::array{Named{MappingLocking::None, "none"},
                      Named{MappingLocking::Coarse, "coarse"},
                      Named{MappingLocking::Fine, "fine"},
                      Named{MappingLocking::Dynamic, "dynamic"},
                      Named{MappingLocking::Message, "message"},
                      Named{MappingLocking::MessageOne, "message-one"},
                      Named{MappingLocking::Cascade, "cascade"},
                      Named{MappingLocking::CascadeCoarse, "cascade-coarse"},
                      Named{MappingLocking::CascadeFine, "cascade-fine"}};
}

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
