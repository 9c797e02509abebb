#include "main/cluster/bench/table_orders.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bench/frame/measured_part.hpp"
#include "bench/workload/keys.hpp"
#include "kernel/clock.hpp"
#include "main/cluster/global_table.hpp"
#include "main/cluster/rma_table.hpp"
#include "tasks/remote/endpoint.hpp"
#include "tasks/remote/remote_spawn.hpp"
#include "tasks/run_on.hpp"

namespace mxk::cluster {
namespace {

MXK_REGISTER(mxk_cluster_orders, Order, begin_table_order);
MXK_REGISTER(mxk_cluster_orders, Order, phase_order);
MXK_REGISTER(mxk_cluster_orders, Order, end_table_order);

using Table = GlobalTable<std::uint64_t, std::uint64_t>;
using Call = remote::TableCall<std::uint64_t, std::uint64_t>;
using remote::TableOperation;

std::uint64_t value_of(std::uint64_t key) {
    return key * 3 + 1;
}

// A core's share of the keys, which it inserts, finds and erases.
struct alignas(cache_line_bytes) Share {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> values; // to be written, or found
    std::uint64_t right = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    // Of a task for each operation.
    std::vector<remote::Awaited> awaited;
    std::vector<std::uint32_t> places; // which key each of them is for
    std::size_t next = 0;
    std::size_t ended = 0;
};

struct State {
    TableRun run;
    std::vector<Share> shares; // by core; none: this rank does not take part
    std::optional<Table> table;
    std::unique_ptr<RmaTable> rma;
};
std::unique_ptr<State> state;

struct Found {
    std::uint64_t value;
    std::uint64_t is_there;
};
std::uint64_t insert_one(Worker&, std::uint64_t key, std::uint64_t value) {
    return state->table->part().local().insert(key, value).inserted() ? 1 : 0;
}
Found find_one(Worker&, std::uint64_t key) {
    auto const found = state->table->part().local().find(key);
    return {found.value_or(0), found ? 1U : 0U};
}
std::uint64_t erase_one(Worker&, std::uint64_t key) {
    return state->table->part().local().erase(key) ? 1 : 0;
}
constexpr auto remote_insert = remote_function<&insert_one>("bench table/insert");
constexpr auto remote_find = remote_function<&find_one>("bench table/find");
constexpr auto remote_erase = remote_function<&erase_one>("bench table/erase");
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_insert);
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_find);
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_erase);

TableOperation operation_of(Phase phase) {
    return phase == Phase::Insert ? TableOperation::Insert
           : phase == Phase::Find ? TableOperation::Find
                                  : TableOperation::Erase;
}

// All keys in one call.
void run_batch(Worker& here, Share& share, Phase phase) {
    Call call(state->table->part(), operation_of(phase), std::span<std::uint64_t const>(share.keys),
              phase == Phase::Insert ? share.values.data() : nullptr,
              phase == Phase::Find ? share.values.data() : nullptr, std::span<std::uint64_t>());
    here.run_until([&] { return call.advance(here); });
    share.right = call.result().changed;
}

// A task for each, so many at a time. Whether all have ended.
bool advance_tasks(Worker& here, Share& share, Phase phase) {
    remote::Spawner& spawner = state->table->part().network().spawner();
    RemoteFunction const& function = phase == Phase::Insert ? remote_insert
                                     : phase == Phase::Find ? remote_find
                                                            : remote_erase;
    for (std::size_t i = 0; i < share.awaited.size(); ++i) {
        remote::Awaited& awaited = share.awaited[i];
        if (awaited.has_come) {
            std::uint32_t const place = share.places[i];
            awaited.has_come = false;
            share.places[i] = ~std::uint32_t{0};
            ++share.ended;
            Found result{};
            std::memcpy(&result, awaited.result, phase == Phase::Find ? sizeof result : sizeof(std::uint64_t));
            if (phase == Phase::Find) {
                share.values[place] = result.value;
                share.right += result.is_there;
            } else {
                share.right += result.value;
            }
        }
        if (share.places[i] != ~std::uint32_t{0} || share.next == share.keys.size()) continue;
        std::uint64_t const key = share.keys[share.next];
        remote::GlobalCore const target = state->table->part().network().core_of(state->table->part().owner(key));
        bool const has_room = spawner.add(here, target, function, &awaited, [&](std::byte* to) {
            std::memcpy(to, &key, sizeof key);
            if (phase == Phase::Insert) std::memcpy(to + sizeof key, &share.values[share.next], sizeof key);
        });
        if (!has_room) break;
        share.places[i] = static_cast<std::uint32_t>(share.next++);
    }
    return share.ended == share.keys.size();
}

// One after the other, as its operations wait.
void run_rma(Share& share, Phase phase) {
    RmaTable& table = *state->rma;
    for (; share.next < share.keys.size(); ++share.next) {
        std::uint64_t const key = share.keys[share.next];
        if (phase == Phase::Insert) {
            share.right += std::uint64_t{table.insert(key, share.values[share.next])};
        } else if (phase == Phase::Find) {
            auto const found = table.find(key);
            share.values[share.next] = found.value_or(0);
            share.right += std::uint64_t{found.has_value()};
        } else {
            share.right += std::uint64_t{table.erase(key)};
        }
    }
}

void run_share(Worker& here, Share& share, Phase phase) {
    switch (state->run.way) {
    case Way::Batch: return run_batch(here, share, phase);
    case Way::Task: return here.run_until([&] { return advance_tasks(here, share, phase); });
    case Way::Rma: break;
    }
    run_rma(share, phase);
}

// Nothing found that was not written.
std::uint64_t count_right(Share const& share, Phase phase) {
    if (phase != Phase::Find) return share.right;
    std::uint64_t right = 0;
    for (std::size_t i = 0; i < share.keys.size(); ++i)
        right += std::uint64_t{share.values[i] == value_of(share.keys[i])};
    return std::min(right, share.right);
}

// There and back, by messages: each key's place is what its hash says.
PhaseResult move_keys(Cluster& cluster) {
    PhaseResult result;
    Table& table = *state->table;
    cluster.barrier();
    result.start = raw(clock::timestamp());
    for (Rank const ranks : {state->run.other_ranks, state->run.ranks}) {
        std::uint64_t const sent = Traffic::of(cluster.network()).operations;
        if (auto const moved = table.move_to(ranks); !moved) {
            result.error.set(moved.error());
            return result;
        }
        result.moved += Traffic::of(cluster.network()).operations - sent;
    }
    result.end = raw(clock::timestamp());
    result.own_keys = table.own_size();
    return result;
}

std::vector<CoreId> own_cores(Cluster const& cluster) {
    std::vector<CoreId> cores;
    cores.reserve(cluster.cores());
    for (std::uint32_t i = 0; i < cluster.cores(); ++i) cores.push_back(core_id(i));
    return cores;
}

// function(sum, other) for each number.
template <typename Function> void for_each_pair(Traffic& sum, Traffic const& other, Function function) {
    function(sum.requests, other.requests);
    function(sum.replies, other.replies);
    function(sum.operations, other.operations);
    function(sum.bytes, other.bytes);
    function(sum.waited, other.waited);
    function(sum.cycles, other.cycles);
}

} // namespace

Traffic Traffic::of(remote::Network const& network) {
    Traffic sum;
    for (remote::Endpoint const* const endpoint : network.endpoints()) {
        remote::EndpointStatistics const& its = endpoint->statistics();
        sum += {its.requests.value(), its.replies.value(), its.operations.value(),
                its.bytes.value(),    its.waited.value(),  its.cycles.value()};
    }
    return sum;
}
Traffic& Traffic::operator+=(Traffic const& other) {
    for_each_pair(*this, other, [](std::uint64_t& sum, std::uint64_t its) { sum += its; });
    return *this;
}
Traffic Traffic::since(Traffic const& before) const {
    Traffic difference = *this;
    for_each_pair(difference, before, [](std::uint64_t& sum, std::uint64_t its) { sum -= its; });
    return difference;
}

Ended begin_table(Cluster& cluster, TableRun const& run) {
    Ended ended;
    state = std::make_unique<State>();
    state->run = run;
    std::uint32_t const cores = cluster.cores();
    std::uint64_t const all = std::uint64_t{run.ranks} * cores;
    if (cluster.rank() < run.ranks) state->shares = std::vector<Share>(cores);
    bench::KeySequence const keys(run.seed);
    for (std::size_t core = 0; core < state->shares.size(); ++core) {
        Share& share = state->shares[core];
        std::uint64_t const place = std::uint64_t{cluster.rank()} * cores + core;
        for (std::uint64_t i = run.operations * place / all; i < run.operations * (place + 1) / all; ++i) {
            share.keys.push_back(keys(i));
            share.values.push_back(value_of(share.keys.back()));
        }
        share.awaited = std::vector<remote::Awaited>(run.way == Way::Task ? run.tasks : 0);
        share.places.assign(share.awaited.size(), ~std::uint32_t{0});
    }
    if (run.way == Way::Rma) {
        state->rma = std::make_unique<RmaTable>(cluster.world(), run.operations, run.ranks);
        return ended;
    }
    auto table = Table::create(cluster, {.capacity = run.room, .ranks = run.ranks});
    if (table)
        state->table.emplace(std::move(table).value());
    else
        ended.error.set(table.error());
    return ended;
}

PhaseResult run_phase(Cluster& cluster, Phase const& phase) {
    if (phase == Phase::Move) return move_keys(cluster);
    PhaseResult result;
    for (Share& share : state->shares) {
        share.right = share.next = share.ended = 0;
        if (phase == Phase::Find) share.values.assign(share.values.size(), 0);
    }
    Traffic const before = Traffic::of(cluster.network());
    std::vector<CoreId> const cores = own_cores(cluster);
    cluster.barrier();
    if (!state->shares.empty()) {
        bool const has_room = run_on(cores, [&](Worker& here, std::size_t core) {
            Share& share = state->shares[core];
            bench::measured_part_begins();
            share.start = raw(clock::timestamp());
            run_share(here, share, phase);
            share.end = raw(clock::timestamp());
            bench::measured_part_ends();
            return Step::Done;
        });
        if (!has_room) result.error.set(Error("out of memory: no room for the tasks of the run"));
    }
    if (state->rma)
        state->rma->serve_until_all_have_come();
    else
        cluster.barrier(); // those who have ended answer the others
    result.traffic = Traffic::of(cluster.network()).since(before);
    for (Share const& share : state->shares) {
        result.start = result.start == 0 ? share.start : std::min(result.start, share.start);
        result.end = std::max(result.end, share.end);
        result.right += count_right(share, phase);
    }
    result.own_keys = state->table ? state->table->own_size() : 0;
    return result;
}

Ended end_table(Cluster& cluster, TableRun const&) {
    cluster.barrier();
    state.reset();
    return {};
}

} // namespace mxk::cluster
