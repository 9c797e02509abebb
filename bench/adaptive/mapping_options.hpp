// What the benchmarks of the mapping database can be told, and what a run of them is.
#pragma once

#include <array>
#include <cstdint>

#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

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

struct MappingOptions : CoreSetOptions {
    NameSet<MappingLocking> lockings{};
    console::CountList pages{};
    std::uint32_t rounds = 200;
};

namespace mapping_option {
constexpr auto lockings = console::option<&MappingOptions::lockings>(
    "locking", "none, coarse, fine, dynamic, message[-one], cascade[-coarse|-fine] (none given: all)");
constexpr auto pages =
    console::option<&MappingOptions::pages>("pages", "counts, a row for each", console::between(1, 4096));
constexpr auto rounds = console::option<&MappingOptions::rounds>("rounds", "in each run; the mean is a run's value",
                                                                 console::between(1, 100'000));
} // namespace mapping_option

} // namespace mxk::bench
