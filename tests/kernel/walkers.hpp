// Walks as tasks on all cores, for the tests on threads and on real cores: every core owns a region with two buckets,
// so that walks wait for each other all the time, and sends operations on keys of its own to all owners. Queues keep
// the order per sender and walks that of arrival, so each result is known when an operation is sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/table/partitioned.hpp"
#include "hashtable/table/walk_task.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::walkers {

using Region = Chained<RegionModulo>;
using Table = Partitioned<Region>;

inline constexpr std::size_t keys_per_home = 16;
inline constexpr std::size_t walkers_per_home = 24;

struct EndedTask : Task {
    EndedTask(CoreId console, std::size_t& homes_left)
        : Task([](Worker&, Task& task) { --static_cast<EndedTask&>(task).left; }, console)
        , left(homes_left) {}
    std::size_t& left;
};

// What one core knows as the home of operations. Only its core touches it during the run.
struct alignas(cache_line_bytes) Home {
    Home(std::size_t its_place, std::size_t operations, bool delays, CoreId console, std::size_t& homes_left)
        : place(its_place)
        , has_delays(delays)
        , operations_left(operations)
        , random(its_place)
        , ended(console, homes_left) {
        for (ChainNode& node : nodes) give_back(node);
    }

    // Key 0 is none, and those of different homes are different.
    [[nodiscard]] std::uint64_t key(std::size_t at) const { return 1 + place * keys_per_home + at; }

    ChainNode& take() {
        ChainNode& node = *free;
        free = node.next;
        return node;
    }
    // A walk that still stands on it comes to the free ones, and finds its key nowhere.
    void give_back(ChainNode& node) {
        node = {UINT64_MAX, free};
        free = &node;
    }

    std::size_t place;
    bool has_delays;
    std::size_t operations_left;
    std::size_t walkers_left = walkers_per_home;
    std::size_t wrong = 0; // results
    bench::Random random;
    std::array<bool, keys_per_home> present{}; // after all that was sent so far
    std::array<ChainNode, keys_per_home + walkers_per_home> nodes{};
    ChainNode* free = nullptr; // linked by `next`
    EndedTask ended;
};

struct Walker : WalkTask<Walker, Region> {
    Walker(Table& its_table, Home& its_home, CoreId home_core)
        : WalkTask(&Walker::send, home_core)
        , all(its_table)
        , at_home(its_home) {}

    // At home: an operation drawn by chance.
    static void send(Worker& worker, Task& task) {
        auto& self = static_cast<Walker&>(task);
        Home& home = self.at_home;
        if (home.operations_left == 0) {
            if (--home.walkers_left == 0) worker.append(home.ended, home.ended.home);
            return;
        }
        --home.operations_left;
        std::size_t const at = home.random.below(keys_per_home);
        std::uint64_t const key = home.key(at);
        std::size_t const region = self.all.owner(key);
        CoreId const owner = self.all.core(region);
        Annotation const bucket = Annotation::writes(static_cast<void const*>(self.all.bucket_of(key, region)));
        self.expects_node = home.present[at];
        switch (home.random.below(6)) {
        case 0:
        case 1:
            home.present[at] = true;
            self.node = &home.take();
            self.seek(key, self.node);
            if (home.random.below(2) == 0) return self.go<Operation::Upsert>(worker, owner, bucket);
            return self.go<Operation::Insert>(worker, owner, bucket);
        case 2:
        case 3:
            home.present[at] = false;
            self.seek(key);
            return self.go<Operation::Erase>(worker, owner, bucket);
        case 4: self.seek(key); return self.go<Operation::Update>(worker, owner, bucket);
        default: self.seek(key); self.go<Operation::Find>(worker, owner, bucket);
        }
    }

    // At the owner.
    Region& table(Worker& worker) {
        if (at_home.has_delays) RandomDelay::point(); // now and then between the steps on the owner
        return all.region(index(worker.core()));
    }
    template <Operation operation> void ended(Worker& worker, ChainNode* found) {
        is_right = (found != nullptr) == expects_node && (found == nullptr || found->key == key());
        if ((operation == Operation::Insert || operation == Operation::Upsert) && found == nullptr)
            node = nullptr; // the table's now
        if (operation == Operation::Erase) node = found;
        body = &complete;
        worker.append(*this, home);
    }

    // At home: a node that is in no chain any more, or never was, is used again.
    static void complete(Worker& worker, Task& task) {
        auto& self = static_cast<Walker&>(task);
        if (!self.is_right) ++self.at_home.wrong;
        if (self.node != nullptr) self.at_home.give_back(*self.node);
        self.node = nullptr;
        send(worker, task);
    }

    Table& all;
    Home& at_home;
    ChainNode* node = nullptr; // an insert's, or what an erase got
    bool expects_node = false;
    bool is_right = false;
};

struct Outcome {
    std::size_t wrong = 0; // results
    std::size_t lost = 0;  // keys that are missing in the end, or there and should not be
    std::size_t in_table = 0;
    std::size_t expected_in_table = 0;
};

// Sends `operations` from every core and waits for them. The console's core. Errors: no memory.
inline Result<Outcome> run(std::size_t operations, bool delays) {
    auto const cores = all_cores();
    Worker& here = Worker::current();
    auto owners = MXK_TRY(NodeVector<Owner>::create(cores.size(), here.node()));
    auto homes = MXK_TRY(NodeVector<Home>::create(cores.size(), here.node()));
    auto tasks = MXK_TRY(NodeVector<Walker>::create(cores.size() * walkers_per_home, here.node()));
    std::size_t homes_left = cores.size();
    for (std::size_t i = 0; i < cores.size(); ++i) {
        owners.emplace(cores[i], workers::of(cores[i]).node());
        homes.emplace(i, operations, delays, here.core(), homes_left);
    }
    Table table = MXK_TRY(Table::create(cores.size() * 2, owners.span()));

    for (std::size_t i = 0; i < cores.size(); ++i)
        for (std::size_t n = 0; n < walkers_per_home; ++n)
            here.append(tasks.emplace(table, homes[i], cores[i]), cores[i]);
    here.run_until([&] { return homes_left == 0; });

    Outcome outcome;
    for (Home const& home : homes) {
        outcome.wrong += home.wrong;
        for (std::size_t at = 0; at < keys_per_home; ++at) {
            std::uint64_t const key = home.key(at);
            if (home.present[at]) ++outcome.expected_in_table;
            if (table.region(table.owner(key)).find(key) != home.present[at]) ++outcome.lost;
        }
    }
    outcome.in_table = table.size();
    return outcome;
}

} // namespace mxk::walkers
