// `histories`: each rank makes random operations on a few keys of one table, one at a time, and notes when; rank 0
// judges whether a map explains them all (tests/unit/linearizable.hpp). For ranks on one host, whose time stamps are
// one clock's.
#include <array>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "bench/workload/random.hpp"
#include "kernel/console/command.hpp"
#include "main/cluster/global_table.hpp"
#include "main/cluster/orders.hpp"
#include "tests/unit/history.hpp"

namespace mxk::test {
namespace {

using cluster::ErrorText;

struct HistoriesRun {
    std::uint64_t operations; // of each rank
    std::uint64_t keys;
    std::uint64_t seed;
};
struct HistoriesResult {
    ErrorText error{};
};

// Those of all ranks, on rank 0.
std::vector<Event>& gathered_events() {
    static std::vector<Event> events;
    return events;
}

Event make_operation(GlobalTable<std::uint64_t, std::uint64_t>& table, bench::Random& random, std::uint64_t keys,
                     std::uint64_t value, CoreId core) {
    constexpr std::array kinds{Operation::Find, Operation::Insert, Operation::Upsert, Operation::Erase};
    Event event{.operation = kinds[random.below(kinds.size())], .key = random.below(keys), .core = core};
    bool is_yes = false;
    Result<bool> written = false;
    event.invoked = time_of_invocation();
    switch (event.operation) {
    case Operation::Find: {
        auto const found = table.find(event.key);
        event.responded = time_of_response();
        is_yes = found.has_value();
        event.value = found.value_or(0);
        break;
    }
    case Operation::Erase:
        is_yes = table.erase(event.key);
        event.responded = time_of_response();
        break;
    default:
        event.value = value;
        written =
            event.operation == Operation::Insert ? table.insert(event.key, value) : table.upsert(event.key, value);
        event.responded = time_of_response();
        is_yes = written && written.value();
    }
    event.result = !written ? TableResult::Full : is_yes ? TableResult::Yes : TableResult::No;
    return event;
}

// Collective: what of each rank's events fits into a block, until no rank has more.
void gather_events(Cluster& cluster, std::vector<Event> const& own) {
    struct Block {
        std::size_t count = 0;
        bool has_more = false;
        std::array<Event, 256> events{};
    };
    gathered_events().clear();
    bool has_more = true;
    for (std::size_t at = 0; has_more;) {
        Block block;
        block.count = std::min(block.events.size(), own.size() - at);
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(at), block.count, block.events.begin());
        at += block.count;
        block.has_more = at < own.size();
        has_more = false;
        for (Block const& its : cluster.gather(block)) {
            has_more = has_more || its.has_more;
            if (cluster.rank() != 0) continue;
            for (std::size_t i = 0; i < its.count; ++i) gathered_events().push_back(its.events[i]);
        }
    }
}

HistoriesResult note_history(Cluster& cluster, HistoriesRun const& run) {
    HistoriesResult result;
    auto made = GlobalTable<std::uint64_t, std::uint64_t>::create(cluster);
    if (!made) {
        result.error.set(made.error());
        return result;
    }
    auto& table = made.value();
    bench::Random random(splitmix(run.seed) + cluster.rank());
    std::vector<Event> events;
    events.reserve(run.operations);
    cluster.barrier();
    for (std::uint64_t i = 0; i < run.operations; ++i) {
        std::uint64_t const value = (std::uint64_t{cluster.rank()} + 1) << 32 | i;
        events.push_back(make_operation(table, random, run.keys, value, core_id(cluster.rank())));
    }
    cluster.barrier(); // none of the others calls the table any more
    gather_events(cluster, events);
    return result;
}
constexpr auto histories_order = cluster::order<&note_history>("histories");
MXK_REGISTER(mxk_cluster_orders, cluster::Order, histories_order);

struct HistoriesOptions {
    std::uint64_t operations = 2000;
    std::uint64_t keys = 8;
    std::uint64_t seed = 1;
};
constexpr auto histories_schema = console::schema<HistoriesOptions>(
    console::option<&HistoriesOptions::operations>("ops", "operations of each rank", console::between(1, 10'000'000)),
    console::option<&HistoriesOptions::keys>("keys", "different ones", console::between(1, 1'000'000)),
    console::option<&HistoriesOptions::seed>("seed", "of the random operations"));

// As overlapping() of all, by a look at neighbours in time: each operation's time overlaps that of one of another rank.
std::size_t count_overlapping(std::vector<Event> events) {
    std::sort(events.begin(), events.end(),
              [](Event const& a, Event const& b) { return std::pair(a.key, a.invoked) < std::pair(b.key, b.invoked); });
    std::vector<bool> overlaps(events.size());
    for (std::size_t i = 0; i < events.size(); ++i)
        for (std::size_t j = i + 1;
             j < events.size() && events[j].key == events[i].key && events[j].invoked <= events[i].responded; ++j)
            if (events[j].core != events[i].core) overlaps[i] = overlaps[j] = true;
    return static_cast<std::size_t>(std::count(overlaps.begin(), overlaps.end(), true));
}

console::Outcome run_histories(console::Invocation& invocation, HistoriesOptions const& options) {
    auto const all = cluster::give<&note_history>(histories_order, {options.operations, options.keys, options.seed});
    for (HistoriesResult const& its : all)
        if (!its.error.view().empty()) return invocation.fail(Error(its.error.view()));
    std::vector<Event> const& events = gathered_events();
    if (auto const why = why_not_linearizable(events)) {
        invocation.out.write(*why);
        return invocation.fail(Error("expected operations of all ranks that one map explains (linearizable)"));
    }
    format(invocation.out, "{} operations of {} ranks are linearizable; {} overlapped one of another rank\n",
           events.size(), all.size(), count_overlapping(events));
    return console::Outcome::Ok;
}

constexpr auto histories_command = console::command<&run_histories, histories_schema>(
    {.name = "histories",
     .summary = "random operations of all ranks on a few keys: whether one map explains what they found",
     .notes = "Example: histories --ops 20k --keys 16 --seed 7\n"});
MXK_REGISTER(mxk_commands, console::Command, histories_command);

} // namespace
} // namespace mxk::test
