// `flood`: every core of every rank posts so many tasks to the next rank's as fast as there is room for them; all must
// arrive, and no rank takes more memory than its network has from the start.
#include <sys/resource.h>

#include <vector>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "main/cluster/orders.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/remote/endpoint.hpp"
#include "tasks/remote/remote_spawn.hpp"
#include "tasks/run_on.hpp"

namespace mxk::cluster {
namespace {

struct alignas(cache_line_bytes) Received {
    OwnerCounter tasks;
    OwnerCounter sum;
};
std::vector<Received>& received() {
    static std::vector<Received> of_cores;
    return of_cores;
}

void take_one(Worker& here, std::uint64_t number) {
    Received& own = received()[index(here.core())];
    own.tasks.add(1);
    own.sum.add(number);
}
constexpr auto remote_take = remote_function<&take_one>("flood/take");
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_take);

struct FloodRun {
    std::uint64_t tasks; // of each core
};
struct FloodResult {
    std::uint64_t arrived = 0;
    std::uint64_t sum = 0;
    std::uint64_t cycles = 0;
    std::uint64_t grown_bytes = 0;   // up to which the process grew meanwhile
    std::uint64_t network_bytes = 0; // that the network has had from the start
    std::uint64_t max_on_the_way = 0;
    ErrorText error{};
};

std::uint64_t max_resident_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

FloodResult flood(Cluster& cluster, FloodRun const& run) {
    FloodResult result;
    remote::Network& network = cluster.network();
    received() = std::vector<Received>(cluster.cores());
    std::vector<std::uint64_t> sent(cluster.cores());
    std::vector<CoreId> cores;
    for (std::uint32_t i = 0; i < cluster.cores(); ++i) cores.push_back(core_id(i));
    cluster.barrier();
    std::uint64_t const before = max_resident_bytes();
    Cycles const start = clock::timestamp();
    bool const has_room = run_on(cores, [&](Worker& here, std::size_t core) {
        remote::GlobalCore const to{(cluster.rank() + 1) % cluster.ranks(), core_id(core)};
        here.run_until([&] {
            for (unsigned i = 0; i < 1024 && sent[core] < run.tasks; ++i, ++sent[core])
                if (!post_at<&take_one>(network, here, to, sent[core])) break;
            return sent[core] == run.tasks;
        });
        return Step::Done;
    });
    if (!has_room) result.error.set(Error("out of memory: no room for the tasks of the run"));
    cluster.wait_for_all_posted();
    result.cycles = raw(clock::timestamp() - start);
    result.grown_bytes = max_resident_bytes() - before;
    result.network_bytes = network.bytes();
    for (Received const& its : received()) {
        result.arrived += its.tasks.value();
        result.sum += its.sum.value();
    }
    for (remote::Endpoint const* const endpoint : network.endpoints())
        result.max_on_the_way = std::max(result.max_on_the_way, endpoint->statistics().max_on_the_way.value());
    return result;
}
constexpr auto flood_order = order<&flood>("flood");
MXK_REGISTER(mxk_cluster_orders, Order, flood_order);

struct FloodOptions {
    std::uint64_t tasks = 1'000'000;
    bool json = false;
};
constexpr auto flood_schema = console::schema<FloodOptions>(
    console::option<&FloodOptions::tasks>("ops", "tasks of each core", console::between(1, 1'000'000'000'000)),
    console::flag<&FloodOptions::json>("json", "a JSON line for each rank, for tools"));

console::Outcome run_flood(console::Invocation& invocation, FloodOptions const& options) {
    Cluster& cluster = the_cluster();
    auto const all = give<&flood>(flood_order, {options.tasks});
    std::uint64_t const wanted = options.tasks * cluster.cores();
    std::uint64_t const wanted_sum = cluster.cores() * (options.tasks * (options.tasks - 1) / 2);
    bool holds = true;
    for (Rank rank = 0; rank < cluster.ranks(); ++rank) {
        FloodResult const& its = all[rank];
        if (!its.error.view().empty()) return invocation.fail(Error(its.error.view()));
        bool const is_right = its.arrived == wanted && its.sum == wanted_sum;
        holds = holds && is_right;
        double const seconds = static_cast<double>(its.cycles) / static_cast<double>(clock::frequency());
        if (options.json) {
            JsonLine line(invocation.out);
            JsonWriter& json = line.json();
            json.field("benchmark", "flood");
            json.field("rank", rank);
            json.field("tasks", its.arrived);
            json.field("tasks_per_second", static_cast<double>(its.arrived) / seconds);
            json.field("grown_bytes", its.grown_bytes);
            json.field("network_bytes", its.network_bytes);
            json.field("max_requests_on_the_way", its.max_on_the_way);
            json.field("verified", is_right);
            line.end();
        } else {
            format(invocation.out,
                   "rank {}: {} of {} tasks have come, {:.2} M/s; memory grew by {} KiB, of {} KiB for messages{}\n",
                   rank, its.arrived, wanted, static_cast<double>(its.arrived) / seconds / 1e6, its.grown_bytes / 1024,
                   its.network_bytes / 1024, is_right ? "" : ": NOT all of them, or with other numbers");
        }
    }
    if (!holds) return invocation.fail(Error("expected all tasks that were posted to arrive, once each"));
    return console::Outcome::Ok;
}

constexpr auto flood_command = console::command<&run_flood, flood_schema>(
    {.name = "flood",
     .summary = "each core posts tasks to the next rank's as fast as it can; memory stays below a bound",
     .notes = "Example: flood --ops 10M\n"});
MXK_REGISTER(mxk_commands, console::Command, flood_command);

} // namespace
} // namespace mxk::cluster
