// What the benchmarks of the mapping database can be told, and what a run of them is.
#pragma once

#include <array>
#include <cstdint>

#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

// What keeps others from a memory object: nothing, for each has one core only; a spin lock for all; one for each; a
// dynamic lock for each, which is disabled for the one core that uses the object.
enum class MappingLocking : std::uint8_t { None, Coarse, Fine, Dynamic };

// As they are typed and as they stand in results.
constexpr auto value_names(MappingLocking) {
    using Named = console::NamedValue<MappingLocking>;
    return std::array{Named{MappingLocking::None, "none"}, Named{MappingLocking::Coarse, "coarse"},
                      Named{MappingLocking::Fine, "fine"}, Named{MappingLocking::Dynamic, "dynamic"}};
}

struct MappingOptions : CoreSetOptions {
    NameSet<MappingLocking> lockings{};
    console::CountList pages{};
    std::uint32_t rounds = 200;
};

namespace mapping_option {
constexpr auto lockings =
    console::option<&MappingOptions::lockings>("locking", "none, coarse, fine, dynamic (none given: all)");
constexpr auto pages =
    console::option<&MappingOptions::pages>("pages", "counts, a row for each", console::between(1, 4096));
constexpr auto rounds = console::option<&MappingOptions::rounds>("rounds", "in each run; the mean is a run's value",
                                                                 console::between(1, 100'000));
} // namespace mapping_option

} // namespace mxk::bench
