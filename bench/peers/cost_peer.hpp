// Others' ways to do what a benchmark of costs measures of ours (bench/frame/cost_benchmark.hpp), measured in the same
// way.
#pragma once

#include <string>
#include <string_view>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/name_set.hpp"

namespace mxk::bench {

template <typename Measure, typename Options> struct CostPeer {
    std::string_view name;
    std::string (*library)() = nullptr; // with its version
    std::string_view missing{};         // why it was not built; empty: it was
    NameSet<Measure> measures{};        // that it can express
    bool two_threads = false;           // its measures of one core take a second one, too
    // One run, on threads of its own that stay on these cores' processors. Called by the console's core, whose thread
    // waits. May throw what the library throws.
    Result<Sample> (*run)(Measure measure, CorePair cores, Options const& options) = nullptr;
};

} // namespace mxk::bench
