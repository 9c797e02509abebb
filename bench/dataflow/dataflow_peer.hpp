// Libraries of others that run the same graphs as the boxes of tasks/dataflow/graph/, on threads of their own. Each
// registers itself where it is defined, in peers/:
//
//     constexpr DataflowPeer tbb_flow_graph{.name = "tbb-flow-graph", .library = &library, .run = &run_flow_graph};
//     MXK_REGISTER(mxk_dataflow_peers, DataflowPeer, tbb_flow_graph);
#pragma once

#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "bench/dataflow/graph_shape.hpp"

namespace mxk::bench {

struct DataflowPeer {
    std::string_view name;
    std::string_view missing{};                     // why it was not built; empty: it was
    void (*print_library)(TextSink& out) = nullptr; // with its version
    // Requests of that shape, one after the other, on as many threads as there are cores, on these cores' processors.
    // The threads are there before: a request that does not count has woken them. Errors: what the library says. The
    // console's task; blocks it until done.
    Result<void> (*run)(GraphShape const& shape, std::span<CoreId const> cores,
                        std::span<GraphResult> results) = nullptr;
};

MXK_REGISTRY(mxk_dataflow_peers, DataflowPeer, registered_dataflow_peers)

} // namespace mxk::bench
