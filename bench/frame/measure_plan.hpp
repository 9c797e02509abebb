// What a benchmark of costs is going to measure, on which cores, and what it cannot measure here. A measure is an
// enumeration with value_names() and placement_of().
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/name_set.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

template <typename Measure> struct MeasurePlan {
    struct Step {
        Measure measure;
        CorePair cores;
    };
    NodeVector<Step> steps;
    NodeVector<Skipped> skipped;

    // Of the measures chosen, or of all. `cores`: as CoreChoice::choose() takes them. Errors: that one's; no memory; a
    // measure that was asked for by name cannot be taken. The console's task.
    static Result<MeasurePlan> make(std::span<std::uint32_t const> cores, NameSet<Measure> const& chosen) {
        auto const choice = MXK_TRY(CoreChoice::choose(system_topology(), cores));
        NodeId const here = Worker::current().node();
        MeasurePlan plan;
        plan.steps = MXK_TRY(NodeVector<Step>::create(value_names(Measure{}).size(), here));
        plan.skipped = MXK_TRY(NodeVector<Skipped>::create(value_names(Measure{}).size(), here));
        for (auto const& [measure, name] : value_names(Measure{})) {
            if (!chosen.empty() && !chosen.has(measure)) continue;
            auto const pair = choice.cores_for(placement_of(measure));
            if (pair)
                plan.steps.emplace(measure, pair.value());
            else if (chosen.empty())
                plan.skipped.emplace(name, pair.error());
            else
                return Error::of("--measure {}: {}", name, pair.error().message());
        }
        return plan;
    }
};

} // namespace mxk::bench
