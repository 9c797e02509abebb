#include "bench/dataflow/node_distances.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "bench/machine/chase.hpp"
#include "bench/machine/measured_memory.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

void distances_by_times(std::span<double const> times, std::span<std::uint8_t const> firmware,
                        std::span<std::uint8_t> distances) {
    double min = 0;
    for (double const time : times)
        if (time > 0 && (min == 0 || time < min)) min = time;
    for (std::size_t at = 0; at < times.size(); ++at)
        distances[at] =
            times[at] > 0 ? static_cast<std::uint8_t>(std::min(254.0, 10 * times[at] / min + 0.5)) : firmware[at];
}

Result<NodeDistances> NodeDistances::measure(Progress const& progress) {
    constexpr std::size_t loads = 200'000; // no fewer are timed for a pair
    auto const nodes = system_topology().nodes;
    NodeId const here = Worker::current().node();
    auto times = MXK_TRY(NodeArray<double>::create_zeroed(nodes.size() * nodes.size(), here));
    for (std::size_t column = 0; column < nodes.size(); ++column) {
        auto const memory = MeasuredMemory::create(align_down(default_set_bytes(), cache_line_bytes), nodes[column].id);
        if (!memory) continue;
        ChaseLayout const layout{memory.value().start(), memory.value().bytes() / cache_line_bytes};
        for (std::size_t row = 0; row < nodes.size(); ++row) {
            if (nodes[row].cores.empty()) continue;
            Sample const sample = MXK_TRY(measure_chase(nodes[row].cores.front(), layout, loads, progress));
            MXK_TRY(progress.check());
            if (sample.verified) times[row * nodes.size() + column] = sample.value;
        }
    }
    NodeDistances result;
    result.distances_ = MXK_TRY(NodeArray<std::uint8_t>::create(nodes.size() * nodes.size(), here));
    distances_by_times(times.span(), system_topology().distances, result.distances_.span());
    return result;
}

void NodeDistances::print(TextSink& out) const {
    std::size_t const nodes = system_topology().nodes.size();
    out.write("measured distances, from cores of each node to the memory of nodes 0 and on:\n");
    for (std::size_t row = 0; row < nodes; ++row) {
        format(out, "{:>6}:", row);
        for (std::size_t column = 0; column < nodes; ++column) format(out, " {:>3}", distances_[row * nodes + column]);
        out.write("\n");
    }
}

} // namespace mxk::bench
