// What `topology` shows of a run of several ranks: which host and process each one is, and how long a task takes to
// another rank's core 0 and back, measured, beside the distance that firmware gives for two nodes of one machine.
#include <algorithm>
#include <array>
#include <vector>

#include "base/format.hpp"
#include "kernel/clock.hpp"
#include "kernel/topology/topology_part.hpp"
#include "main/cluster/orders.hpp"
#include "tasks/remote/call_at.hpp"

namespace mxk::cluster {
namespace {

constexpr Rank max_shown = 32; // ranks whose distances are measured: each to each other one takes its time
constexpr unsigned trips = 101;

std::uint32_t answer_at_once(Worker&) {
    return 0;
}
constexpr auto remote_answer = remote_function<&answer_at_once>("topology/answer");
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_answer);

struct Nothing {};
struct Distances {
    std::array<float, max_shown> microseconds{}; // to each rank; the median
};

// One rank after the other.
Distances measure(Cluster& cluster, Nothing const&) {
    Distances own;
    Rank const ranks = std::min(cluster.ranks(), max_shown);
    for (Rank turn = 0; turn < ranks; ++turn) {
        cluster.barrier();
        if (turn != cluster.rank()) continue;
        for (Rank to = 0; to < ranks; ++to) {
            if (to == turn) continue;
            std::array<std::uint64_t, trips> times{};
            for (std::uint64_t& time : times) {
                Cycles const start = clock::timestamp();
                static_cast<void>(call_at<&answer_at_once>(cluster.network(), Worker::current(), {to, core_id(0)}));
                time = raw(clock::timestamp() - start);
            }
            std::nth_element(times.begin(), times.begin() + trips / 2, times.end());
            own.microseconds[to] = static_cast<float>(times[trips / 2]) * 1e6F / static_cast<float>(clock::frequency());
        }
    }
    cluster.barrier();
    return own;
}
constexpr auto distances_order = order<&measure>("distances");
MXK_REGISTER(mxk_cluster_orders, Order, distances_order);

void print_part(TextSink& out) {
    Cluster& cluster = the_cluster();
    format(out, "{} ranks of {} cores, {}\n", cluster.ranks(), cluster.cores(), cluster.world().library());
    for (Rank rank = 0; rank < cluster.ranks(); ++rank) {
        RankPlace const& place = cluster.world().place(rank);
        format(out, "  rank {}: host {}, process {}, cores {} to {} of all\n", rank, place.host.data(), place.process,
               rank * cluster.cores(), (rank + 1) * cluster.cores() - 1);
    }
    if (cluster.ranks() == 1) return;
    auto const all = give<&measure>(distances_order, {});
    Rank const shown = std::min(cluster.ranks(), max_shown);
    out.write("round trip of a task to another rank's core 0, microseconds (median of 101):\n");
    for (Rank from = 0; from < shown; ++from) {
        format(out, "  rank {}:", from);
        for (Rank to = 0; to < shown; ++to) {
            if (to == from)
                out.write("      -");
            else
                format(out, " {:6.1}", static_cast<double>(all[from].microseconds[to]));
        }
        out.write("\n");
    }
}

void write_part(JsonWriter& json) {
    Cluster& cluster = the_cluster();
    auto const all = give<&measure>(distances_order, {});
    json.field("mpi", std::string_view(cluster.world().library()));
    json.begin_array("ranks");
    for (Rank rank = 0; rank < cluster.ranks(); ++rank) {
        json.begin_object();
        json.field("host", std::string_view(cluster.world().place(rank).host.data()));
        json.field("cores", cluster.cores());
        json.begin_array("round_trips_us");
        for (Rank to = 0; to < std::min(cluster.ranks(), max_shown) && rank < max_shown; ++to)
            json.element(static_cast<double>(all[rank].microseconds[to]));
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

constexpr topology::Part ranks_part{&print_part, &write_part};
MXK_REGISTER(mxk_topology_parts, topology::Part, ranks_part);

} // namespace
} // namespace mxk::cluster
