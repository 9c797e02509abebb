// Operations that travel, as tasks on several cores, for the tests on threads and on real cores. Each core owns a
// region of very few slots, so that operations mostly continue in other regions and round; and it sends operations on
// keys of its own and on keys that all send some on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/layout/growing_probed_region.hpp"
#include "hashtable/table/region_work.hpp"
#include "hashtable/table/travelling_probe.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/probe_history.hpp"

namespace mxk::travellers {

using probing::Kind;
using probing::Outcome;
using probing::Record;
using FixedTable = TravellingProbe::Table;
using GrowingTable = Partitioned<GrowingProbedRegion>;

inline constexpr std::size_t max_cores = 8; // a way round is long enough
inline constexpr std::size_t travellers_per_client = 12;

// Numbers of them: of each client alone, and of all.
struct Keys {
    std::size_t each = 3;
    std::size_t common = 6;
};

struct EndedTask : Task {
    EndedTask(CoreId console, std::size_t& clients_left)
        : Task([](Worker&, Task& task) { --static_cast<EndedTask&>(task).left; }, console)
        , left(clients_left) {}
    std::size_t& left;
};

// Only its core touches it during the run.
struct alignas(cache_line_bytes) Client {
    Client(std::size_t its_place, Keys its_keys, std::span<Record> its_records, bool delays, CoreId console,
           std::size_t& clients_left)
        : place(its_place)
        , keys(its_keys)
        , has_delays(delays)
        , records(its_records)
        , random(its_place)
        , ended(console, clients_left) {}

    // Not 0.
    std::uint64_t random_key() {
        std::size_t const at = random.below(keys.common + keys.each);
        return 1 + at + (at < keys.common ? 0 : place * keys.each);
    }

    // Now and then waits, where it might let others overtake.
    void delay() const {
        if (has_delays) RandomDelay::point();
    }

    std::size_t place;
    Keys keys;
    bool has_delays;
    std::span<Record> records;
    std::size_t sent = 0;
    std::size_t travellers_left = travellers_per_client;
    bench::Random random;
    EndedTask ended;
};

// What regions that grow do in their owners' queues; nothing for others.
struct NoWork {
    explicit NoWork(auto& /*region*/) {}
    static void begin(Worker& /*worker*/) {}
    static bool is_queued() { return false; }
};
template <typename Table> struct WorkOf { using Type = NoWork; };
template <> struct WorkOf<GrowingTable> { using Type = RegionWork<GrowingProbedRegion>; };

template <typename Table> struct Traveller : Task {
    using Work = typename WorkOf<Table>::Type;

    Traveller(Table& its_table, PerCore<Work>& its_work, std::uint32_t* arrivals_by_key, Client& its_client,
              CoreId home_core)
        : Task(&Traveller::send, home_core)
        , table(its_table)
        , work(its_work)
        , arrivals(arrivals_by_key)
        , client(its_client) {}

    // At home: an operation drawn by chance. What a put writes is written by no other.
    static void send(Worker& worker, Task& task) {
        auto& self = static_cast<Traveller&>(task);
        Client& client = self.client;
        if (client.sent == client.records.size()) {
            if (--client.travellers_left == 0) worker.append(client.ended, client.ended.home);
            return;
        }
        std::size_t const number = client.sent++;
        self.probe = TravellingProbe(client.random_key(), client.place << 32 | number);
        self.record = &client.records[number];
        *self.record = {.key = self.probe.key(),
                        .value = 0,
                        .place = 0,
                        .client = static_cast<std::uint32_t>(client.place),
                        .number = static_cast<std::uint32_t>(number),
                        .kind = Kind{static_cast<std::uint8_t>(client.random.below(3))},
                        .result = Probed::EndOfRegion};
        task.body = &arrive;
        worker.append(task, self.table.core(self.table.owner(self.probe.key())));
    }

    // At the key's owner.
    static void arrive(Worker& worker, Task& task) {
        auto& self = static_cast<Traveller&>(task);
        self.record->place = self.arrivals[self.probe.key()]++;
        task.body = &visit;
        visit(worker, task);
    }

    static void visit(Worker& worker, Task& task) {
        auto& self = static_cast<Traveller&>(task);
        std::size_t const here = index(worker.core());
        self.client.delay();
        Probed const probed = probing::visit(self.probe, self.record->kind, self.table, here);
        self.work[here].begin(worker);
        self.client.delay();
        if (probed == Probed::EndOfRegion)
            return worker.append(task, self.table.core(TravellingProbe::next(self.table, here)));
        self.record->result = probed;
        self.record->value = self.probe.value();
        task.body = &send;
        worker.append(task, task.home);
    }

    Table& table;
    PerCore<Work>& work;     // by region
    std::uint32_t* arrivals; // of operations, by key: its owner's
    Client& client;
    Record* record = nullptr;
    TravellingProbe probe;
};

// Sends `operations` from every core, with so many slots on each, and waits for them. The console's core. Errors: no
// memory.
template <typename Table = FixedTable>
Result<Outcome> run(std::size_t operations, std::size_t slots_per_core, bool delays, Keys of = {}) {
    auto const all = all_cores();
    std::span<CoreId const> const cores = all.span().first(std::min(all.size(), max_cores));
    Worker& here = Worker::current();
    std::size_t const keys = 1 + of.common + cores.size() * of.each; // 0 is none
    auto owners = MXK_TRY(NodeVector<Owner>::create(cores.size(), here.node()));
    auto records = MXK_TRY(NodeArray<Record>::create(cores.size() * operations, here.node()));
    auto arrivals = MXK_TRY(NodeArray<std::uint32_t>::create_zeroed(keys, here.node()));
    auto clients = MXK_TRY(NodeVector<Client>::create(cores.size(), here.node()));
    auto tasks = MXK_TRY(NodeVector<Traveller<Table>>::create(cores.size() * travellers_per_client, here.node()));
    std::span<Record> const all_records = records.span().first(cores.size() * operations);
    std::size_t clients_left = cores.size();
    for (std::size_t i = 0; i < cores.size(); ++i) {
        owners.emplace(cores[i], workers::of(cores[i]).node());
        clients.emplace(i, of, all_records.subspan(i * operations, operations), delays, here.core(), clients_left);
    }
    Table table = MXK_TRY(Table::create(cores.size() * slots_per_core, owners.span()));

    using Work = typename Traveller<Table>::Work;
    auto work = MXK_TRY(PerCore<Work>::with_room(cores.size(), here.node()));
    for (std::size_t i = 0; i < cores.size(); ++i)
        if (auto const added = work.add(here.node(), table.region(i)); !added) return added.error();
    for (std::size_t n = 0; n < travellers_per_client; ++n)
        for (std::size_t i = 0; i < cores.size(); ++i)
            here.append(tasks.emplace(table, work, arrivals.data(), clients[i], cores[i]), cores[i]);
    here.run_until([&] { return clients_left == 0; });
    std::atomic<std::size_t> queued{1};
    while (queued.load() != 0) { // the last steps of growth
        queued.store(0);
        bool const was_run = run_on(cores, [&](Worker&, std::size_t at) {
            queued.fetch_add(work[at].is_queued() ? 1 : 0);
            return Step::Done;
        });
        if (!was_run) queued.store(1); // no memory: once more, since the steps use the table
    }
    return probing::replay(all_records, table);
}

} // namespace mxk::travellers
