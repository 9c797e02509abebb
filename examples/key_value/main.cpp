// Stores pairs in a table that is cut over all cores, then looks each of them up: key_value [PAIRS [CORES]]
//
// A look-up is a task that travels: it takes the next key on its home core, goes to the core that owns the key, looks
// there, without a lock because nobody else may, and goes home with what it found. Some of them are under way from
// every core at any time, so that cores have something to do while others travel.
#include <mxk/hashtable/layout/chained.hpp>
#include <mxk/hashtable/table/partitioned.hpp>
#include <mxk/kernel/memory/node_vector.hpp>
#include <mxk/runtime.hpp>
#include <mxk/tasks/run_on.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

#include "../number.hpp"

namespace {

struct Pair : mxk::ChainNode {
    std::uint64_t value;
};
using Table = mxk::Partitioned<mxk::Chained<mxk::RegionModulo, Pair>>;

// Pair `number` (from 0) of those that are stored. An odd factor: no two numbers have the same key, and none has 0.
std::uint64_t key_of(std::uint64_t number) {
    return (number + 1) * 0x9e37'79b9'7f4a'7c15;
}
std::uint64_t value_of(std::uint64_t number) {
    return number * number + 1;
}

// The pairs that one core stores, or those that it looks up. Only that core writes it, hence a cache line of its own.
struct alignas(mxk::cache_line_bytes) Share {
    mxk::NodeVector<Pair> pairs; // memory of the core's node
    std::uint64_t next = 0;      // numbers that it looks up
    std::uint64_t end = 0;
    std::uint64_t right = 0;
};

// A task is an object with a body: the function that runs next. It changes its body and appends itself to another
// core's queue, and there runs on. Up to 32 bytes of its own share the one cache line that moves.
struct Lookup : mxk::Task {
    Lookup(Table& its_table, Share& its_share, std::size_t& tasks_left, mxk::CoreId home_core)
        : Task(&Lookup::leave, home_core)
        , table(its_table)
        , share(its_share)
        , left(tasks_left) {}

    // At home, which is the only core that touches `share`.
    static void leave(mxk::Worker& worker, mxk::Task& task) {
        auto& self = static_cast<Lookup&>(task);
        if (self.share.next == self.share.end) { // no more: tell core 0, which waits
            task.body = &Lookup::end;
            return worker.append(task, mxk::core_id(0));
        }
        self.number = self.share.next++;
        task.body = &Lookup::look;
        worker.append(task, self.table.core(self.table.owner(key_of(self.number))));
    }

    // On the owner, which is the only core that touches the region.
    static void look(mxk::Worker& worker, mxk::Task& task) {
        auto& self = static_cast<Lookup&>(task);
        std::uint64_t const key = key_of(self.number);
        Pair const* const pair = self.table.region(self.table.owner(key)).lookup(key);
        self.is_right = pair != nullptr && pair->value == value_of(self.number);
        task.body = &Lookup::complete;
        worker.append(task, task.home);
    }

    static void complete(mxk::Worker& worker, mxk::Task& task) {
        auto& self = static_cast<Lookup&>(task);
        if (self.is_right) ++self.share.right;
        leave(worker, task);
    }

    static void end(mxk::Worker&, mxk::Task& task) { --static_cast<Lookup&>(task).left; }

    bool is_right = false; // what the owner found; first, since there is room for it right behind the task's own
    Table& table;
    Share& share;
    std::size_t& left; // core 0's: look-up tasks that have not ended
    std::uint64_t number = 0;
};
static_assert(sizeof(Lookup) == mxk::cache_line_bytes);

constexpr std::size_t tasks_per_core = 64;

// On every core at once: it makes the pairs whose keys it owns, in memory of its own node. False without memory.
bool store(mxk::Worker& worker, Table& table, std::size_t region, Share& share, std::uint64_t pairs) {
    std::size_t mine = 0;
    for (std::uint64_t number = 0; number < pairs; ++number) mine += table.owner(key_of(number)) == region;
    auto memory = mxk::NodeVector<Pair>::create(mine, worker.node());
    if (!memory) return false;
    share.pairs = std::move(memory).value();
    for (std::uint64_t number = 0; number < pairs; ++number) {
        if (table.owner(key_of(number)) != region) continue;
        Pair& pair = share.pairs.emplace(mxk::ChainNode{key_of(number), nullptr}, value_of(number));
        table.region(region).insert(pair);
    }
    return true;
}

int fail(std::string_view why) {
    std::cerr << "key_value: " << why << '\n';
    return 1;
}

} // namespace

int main(int count, char** arguments) {
    auto const pairs = count > 1 ? parse_number(arguments[1], 1, 1'000'000'000) : 1'000'000;
    auto const cores = count > 2 ? parse_number(arguments[2], 1, 4096) : 0;
    if (count > 3 || !pairs || !cores) {
        std::cerr << "usage: key_value [PAIRS [CORES]]   (PAIRS: 1 to 1000000000, else a million;\n"
                     "                                    CORES: 1 to 4096, else one per processor)\n";
        return 2;
    }
    auto started = mxk::Runtime::start({.cores = static_cast<std::uint32_t>(*cores)});
    if (!started) return fail(started.error().message());
    mxk::Runtime& runtime = started.value();

    std::vector<mxk::Owner> owners;
    std::vector<mxk::CoreId> all_cores;
    for (auto const& core : runtime.topology().cores) {
        owners.push_back({core.id, core.node});
        all_cores.push_back(core.id);
    }
    auto created = Table::create(*pairs + owners.size(), owners); // a bucket per pair, no less than one per owner
    if (!created) return fail(created.error().message());
    Table& table = created.value();

    std::vector<Share> shares(owners.size());
    bool enough_memory = true;
    std::uint64_t right = 0;
    std::chrono::duration<double> seconds{};
    runtime.run([&](mxk::Worker& here) {
        std::vector<char> stored(owners.size()); // by core
        enough_memory = mxk::run_on(all_cores, [&](mxk::Worker& worker, std::size_t i) {
            stored[i] = store(worker, table, i, shares[i], *pairs);
            return mxk::Step::Done;
        });
        for (char const is_stored : stored) enough_memory = enough_memory && is_stored != 0;
        if (!enough_memory) return;

        std::vector<Lookup> tasks;
        std::size_t tasks_left = owners.size() * tasks_per_core;
        tasks.reserve(tasks_left);
        for (std::size_t i = 0; i < owners.size(); ++i) {
            shares[i].next = *pairs * i / owners.size();
            shares[i].end = *pairs * (i + 1) / owners.size();
            for (std::size_t n = 0; n < tasks_per_core; ++n)
                tasks.emplace_back(table, shares[i], tasks_left, owners[i].core);
        }
        auto const start = std::chrono::steady_clock::now();
        for (Lookup& task : tasks) here.append(task, task.home);
        here.run_until([&] { return tasks_left == 0; });
        seconds = std::chrono::steady_clock::now() - start;
    });
    if (!enough_memory) return fail("out of memory");

    for (Share const& share : shares) right += share.right;
    std::printf("%zu pairs stored on %zu cores\n", table.size(), owners.size());
    std::printf("%.2f million look-ups per second, %llu of %llu right\n",
                static_cast<double>(*pairs) / seconds.count() / 1e6, static_cast<unsigned long long>(right),
                static_cast<unsigned long long>(*pairs));
    return right == *pairs ? 0 : 1;
}
