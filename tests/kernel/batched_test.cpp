// Operations in batches on real cores: every core is a client of tables whose regions belong to several, with delays
// where the owners work. Each core uses keys of its own in a fixed pattern, so that each result is known.
#include <algorithm>
#include <array>

#include "bench/workload/random.hpp"
#include "hashtable/batch/batch_client.hpp"
#include "hashtable/batch/reading_client.hpp"
#include "hashtable/layout/bucketed.hpp"
#include "hashtable/table/partitioned.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

// Waits now and then before an operation.
class SlowBucketed : public Bucketed {
  public:
    using Bucketed::Bucketed;
    Insert insert(std::uint64_t key, std::uint64_t value, Position const& at) {
        RandomDelay::point();
        return Bucketed::insert(key, value, at);
    }
    static std::uint64_t* find(std::uint64_t key, Position const& at) {
        RandomDelay::point();
        return Bucketed::find(key, at);
    }
    bool erase(std::uint64_t key, Position const& at) {
        RandomDelay::point();
        return Bucketed::erase(key, at);
    }
    bool update(std::uint64_t key, std::uint64_t value, Position const& at) {
        RandomDelay::point();
        return Bucketed::update(key, value, at);
    }
    using Bucketed::erase;
    using Bucketed::find;
    using Bucketed::insert;
    using Bucketed::update;
};
using Regions = Partitioned<SlowBucketed>;

// A region for each core, but not for all of 255.
Result<Regions> make_regions(std::size_t keys) {
    auto const cores = all_cores();
    std::size_t const count = std::min<std::size_t>(cores.size(), 16);
    auto owners = MXK_TRY(NodeVector<Owner>::create(count, Worker::current().node()));
    for (std::size_t i = 0; i < count; ++i) {
        CoreId const core = cores[i * cores.size() / count];
        owners.emplace(core, workers::of(core).node());
    }
    return Regions::create(keys / Bucketed::default_load + count, owners.span());
}

// What is done to each key, one right after the other, and what it comes to.
struct PatternStep {
    Operation operation;
    std::uint64_t factor; // of the key: what is written, or, by a modify, added
    TableResult result;
    std::uint64_t found; // factor of the key: what stood there
};
constexpr std::array pattern{
    PatternStep{Operation::Insert, 5, TableResult::Yes, 0}, PatternStep{Operation::Find, 0, TableResult::Yes, 5},
    PatternStep{Operation::Update, 7, TableResult::Yes, 0}, PatternStep{Operation::Find, 0, TableResult::Yes, 7},
    PatternStep{Operation::Modify, 4, TableResult::Yes, 7}, PatternStep{Operation::Modify, 2, TableResult::Yes, 11},
    PatternStep{Operation::Upsert, 3, TableResult::No, 0},  PatternStep{Operation::Find, 0, TableResult::Yes, 3},
    PatternStep{Operation::Erase, 0, TableResult::Yes, 0},  PatternStep{Operation::Update, 9, TableResult::No, 0},
    PatternStep{Operation::Upsert, 6, TableResult::Yes, 0}, PatternStep{Operation::Modify, 1, TableResult::Yes, 6},
    PatternStep{Operation::Erase, 0, TableResult::Yes, 0},  PatternStep{Operation::Modify, 1, TableResult::No, 0},
    PatternStep{Operation::Find, 0, TableResult::No, 0},
};

// The whole pattern on each of its keys. ClientOf: BatchClient, or one that reads in place.
template <typename Pace, template <typename, typename, typename, typename> typename ClientOf = BatchClient>
class PatternUser : public Task {
  public:
    struct Check {
        PatternUser& user;
        void operator()(Worker& worker, CookieBatch<std::uint8_t> const& batch) const { user.check(worker, batch); }
        void found(std::uint64_t key, std::uint64_t value, std::uint8_t step) const {
            MXK_CHECK_EQUAL(value, pattern.at(step).found * key);
            user.check_found(TableResult::Yes, pattern.at(step));
        }
        void not_found(std::uint64_t, std::uint8_t step) const { user.check_found(TableResult::No, pattern.at(step)); }
    };
    using Client = ClientOf<Regions, Check, std::uint8_t, Pace>;

    PatternUser(Worker& worker, Batched<Regions>& table, typename Client::Memory memory, std::uint64_t first_key,
                std::size_t keys, Task& ended)
        : Task(&PatternUser::go_on)
        , first_key_(first_key)
        , keys_(keys)
        , ended_(ended)
        , client_(worker, table, std::move(memory), Check{*this}) {}

    [[nodiscard]] std::size_t completed() const { return completed_; }

  private:
    static constexpr std::size_t steps = pattern.size();

    static void go_on(Worker& worker, Task& task) {
        auto& self = static_cast<PatternUser&>(task);
        for (std::size_t burst = 100; burst > 0; --burst) {
            if (self.next_ == self.keys_ * steps) return self.end();
            std::size_t const step = self.next_ % steps;
            std::uint64_t const key = self.first_key_ + self.next_ / steps;
            PatternStep const& next = pattern.at(step);
            if (!self.client_.submit(next.operation, key, next.factor * key, static_cast<std::uint8_t>(step)))
                return self.client_.when_room(task);
            ++self.next_;
        }
        worker.append(task);
    }

    void check(Worker& worker, CookieBatch<std::uint8_t> const& batch) {
        MXK_CHECK(worker.core() == batch.home);
        for (std::size_t at = 0; at < batch.size(); ++at) {
            PatternStep const& step = pattern.at(batch.cookie(at));
            MXK_CHECK(batch.operation(at) == step.operation);
            MXK_CHECK(batch.result(at) == step.result);
            if (step.found != 0) MXK_CHECK_EQUAL(batch.value(at), step.found * batch.key(at));
        }
        completed_ += batch.size();
    }
    void check_found(TableResult result, PatternStep const& step) {
        MXK_CHECK(step.operation == Operation::Find && step.result == result);
        ++completed_;
    }

    void end() {
        body = [](Worker& worker, Task& task) { worker.append(static_cast<PatternUser&>(task).ended_, core_id(0)); };
        client_.flush();
        client_.when_at_rest(*this);
    }

    std::uint64_t first_key_;
    std::size_t keys_;
    std::size_t next_ = 0;
    std::size_t completed_ = 0;
    Task& ended_;
    Client client_;
};

// Every core is a client of all owners. `make_memory`: of a client, for (table, node).
template <typename User, typename MakeMemory> void run_pattern(MakeMemory make_memory) {
    auto const cores = all_cores();
    // About as many together on every machine.
    std::size_t const keys = std::max<std::size_t>(8, 150 / cores.size());
    auto regions = make_regions(keys * cores.size());
    MXK_CHECK(regions.ok());
    if (!regions.ok()) return;
    auto batched = Batched<Regions>::create(regions.value());
    MXK_CHECK(batched.ok());
    if (!batched.ok()) return;

    struct Ended : Task {
        explicit Ended(std::size_t& users_left)
            : Task([](Worker&, Task& task) { --static_cast<Ended&>(task).left; })
            , left(users_left) {}
        std::size_t& left;
    };
    Worker& here = Worker::current();
    std::size_t left = cores.size();
    auto ended = NodeVector<Ended>::create(cores.size(), here.node());
    auto users = NodeVector<User>::create(cores.size(), here.node());
    MXK_CHECK(ended.ok() && users.ok());
    if (!ended.ok() || !users.ok()) return;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        Worker& worker = workers::of(cores[i]);
        auto memory = make_memory(batched.value(), worker.node());
        MXK_CHECK(memory.ok());
        if (!memory.ok()) return;
        users.value().emplace(worker, batched.value(), std::move(memory).value(), 1 + i * keys, keys,
                              ended.value().emplace(left));
    }
    for (std::size_t i = 0; i < cores.size(); ++i) here.append(users.value()[i], cores[i]);
    here.run_until([&] { return left == 0; });
    for (User const& user : users.value()) MXK_CHECK_EQUAL(user.completed(), keys * pattern.size());
    MXK_CHECK_EQUAL(regions.value().size(), std::size_t{0});
}

MXK_TEST(batched, every_core_is_a_client_of_all_owners) {
    run_pattern<PatternUser<NoPace>>(
        [](auto const& table, NodeId node) { return PatternUser<NoPace>::Client::Memory::create(table, node, 4, 0); });
}

// Finds of keys that this client has changed travel behind that, the others are read where they are.
MXK_TEST(batched, every_core_reads_in_place) {
    using User = PatternUser<NoPace, ReadingClient>;
    run_pattern<User>([](auto const& table, NodeId node) { return User::Client::Memory::create(table, node, 4); });
}

// Owners wait here for longer than an absence takes, and what is in reserve goes and comes back.
MXK_TEST(batched, every_core_has_a_reserve) {
    run_pattern<PatternUser<NoPace>>(
        [](auto const& table, NodeId node) { return PatternUser<NoPace>::Client::Memory::create(table, node, 0, 3); });
}

// With one that is never kept, one that is kept now and then, and one that always is.
MXK_TEST(batched, every_core_keeps_a_cap_on_latency) {
    for (std::uint64_t const cap : {1U, 200U, 1'000'000U}) {
        run_pattern<PatternUser<BatchPace>>([cap](auto const& table, NodeId node) {
            return PatternUser<BatchPace>::Client::Memory::create_paced(table, node,
                                                                        clock::to_cycles(microseconds(cap)), 4, 2);
        });
    }
}

// However many there are, and whether the client says that it has no more: one by one, many at once, and with changes
// of keys whose finds are under way.
MXK_TEST(batched, each_find_in_place_is_answered_once) {
    constexpr std::size_t max_finds = 200;
    auto regions = make_regions(max_finds);
    MXK_CHECK(regions.ok());
    if (!regions.ok()) return;
    auto batched = Batched<Regions>::create(regions.value());
    MXK_CHECK(batched.ok());
    if (!batched.ok()) return;
    std::array<std::uint8_t, max_finds> answers{};
    struct Check {
        std::array<std::uint8_t, max_finds>& answers;
        void operator()(Worker&, CookieBatch<std::uint8_t> const& batch) const {
            MXK_CHECK(batch.all_yes());
            for (std::size_t at = 0; at < batch.size(); ++at)
                if (batch.is_find(at)) found(batch.key(at), batch.value(at), batch.cookie(at));
        }
        void found(std::uint64_t key, std::uint64_t value, std::uint8_t number) const {
            MXK_CHECK(value == key && key == number + std::uint64_t{1});
            ++answers.at(number);
        }
        void not_found(std::uint64_t, std::uint8_t) const { MXK_CHECK(false); }
    };
    using Client = ReadingClient<Regions, Check, std::uint8_t>;
    Worker& here = Worker::current();
    auto memory = Client::Memory::create(batched.value(), here.node());
    MXK_CHECK(memory.ok());
    if (!memory.ok()) return;
    Client client(here, batched.value(), std::move(memory).value(), Check{answers});
    auto const rest = [&] { here.run_until([&] { return client.at_rest(); }); };
    auto const request = [](Operation operation, std::size_t number) {
        return Client::Request{operation, number + 1, number + 1, static_cast<std::uint8_t>(number)};
    };
    auto const submit = [&](Operation operation, std::size_t number) {
        auto const it = request(operation, number);
        while (!client.submit(it.operation, it.key, it.value, it.cookie)) rest();
    };
    for (std::size_t i = 0; i < max_finds; ++i) submit(Operation::Insert, i);
    rest();
    bench::Random random(1);
    for (std::size_t count = 1; count <= max_finds; ++count) {
        answers = {};
        if (count % 3 == 0) {
            std::size_t const taken =
                client.submit_each(count, [&](std::size_t i) { return request(Operation::Find, i); });
            MXK_CHECK_EQUAL(taken, count);
        }
        for (std::size_t i = 0; count % 3 != 0 && i < count; ++i) {
            submit(Operation::Find, i);
            if (count % 3 == 2 && i % 5 == 4) submit(Operation::Update, i - random.below(std::min<std::size_t>(i, 64)));
        }
        if (count % 5 == 0) client.flush();
        rest();
        for (std::size_t i = 0; i < max_finds; ++i) MXK_CHECK_EQUAL(answers.at(i), i < count ? 1 : 0);
    }
}

// A find whose line is still on its way when the same client changes the key has to give what was there before.
MXK_TEST(batched, a_find_in_place_comes_before_the_change_behind_it) {
    constexpr std::uint64_t keys = 500;
    auto regions = make_regions(keys);
    MXK_CHECK(regions.ok());
    if (!regions.ok()) return;
    auto batched = Batched<Regions>::create(regions.value());
    MXK_CHECK(batched.ok());
    if (!batched.ok()) return;
    struct Check {
        std::uint64_t& found_here;
        void operator()(Worker&, CookieBatch<std::uint64_t> const& batch) const {
            MXK_CHECK(batch.all_yes());
            for (std::size_t at = 0; at < batch.size(); ++at)
                if (batch.is_find(at)) MXK_CHECK_EQUAL(batch.value(at), batch.cookie(at));
        }
        void found(std::uint64_t, std::uint64_t value, std::uint64_t expected) const {
            MXK_CHECK_EQUAL(value, expected);
            ++found_here;
        }
        void not_found(std::uint64_t, std::uint64_t) const { MXK_CHECK(false); }
    };
    using Client = ReadingClient<Regions, Check, std::uint64_t>;
    Worker& here = Worker::current();
    auto memory = Client::Memory::create(batched.value(), here.node());
    MXK_CHECK(memory.ok());
    if (!memory.ok()) return;
    std::uint64_t found_here = 0;
    Client client(here, batched.value(), std::move(memory).value(), Check{found_here});
    auto const rest = [&] {
        client.flush();
        here.run_until([&] { return client.at_rest(); });
    };
    auto const submit = [&](Operation operation, std::uint64_t key, std::uint64_t value, std::uint64_t expected) {
        while (!client.submit(operation, key, value, expected)) rest();
    };
    for (std::uint64_t key = 1; key <= keys; ++key) submit(Operation::Insert, key, key, 0);
    rest();
    for (std::uint64_t round = 1; round <= 6; ++round) {
        for (std::uint64_t key = 1; key <= keys; ++key) {
            submit(Operation::Find, key, 0, key * round);
            submit(Operation::Update, key, key * (round + 1), 0);
            if (key % 100 == 0) here.run_until([&] { return client.at_rest(); }); // nothing is flushed by hand
            if (round % 2 == 0) submit(Operation::Find, key, 0, key * (round + 1));
        }
        rest();
    }
    MXK_CHECK(found_here > keys); // the others have travelled behind changes
}

// Nothing pushes a lone operation out but that its core has nothing else to do.
MXK_TEST(batched, a_single_operation_is_not_left_behind) {
    auto regions = make_regions(1000);
    MXK_CHECK(regions.ok());
    if (!regions.ok()) return;
    auto batched = Batched<Regions>::create(regions.value());
    MXK_CHECK(batched.ok());
    if (!batched.ok()) return;
    std::uint64_t completed = 0;
    auto const count = [&](Worker&, Batch const& batch) {
        MXK_CHECK_EQUAL(batch.size(), std::size_t{1});
        MXK_CHECK(batch.all_yes());
        ++completed;
    };
    using Client = BatchClient<Regions, decltype(count)>;
    Worker& here = Worker::current();
    auto memory = Client::Memory::create(batched.value(), here.node());
    MXK_CHECK(memory.ok());
    if (!memory.ok()) return;
    Client client(here, batched.value(), std::move(memory).value(), count);
    for (std::uint64_t key = 1; key <= 200; ++key) {
        MXK_CHECK(client.insert(key, key));
        here.run_until([&] { return completed == key; });
    }
    here.run_until([&] { return client.at_rest(); });
    MXK_CHECK_EQUAL(regions.value().size(), std::size_t{200});
}

} // namespace
} // namespace mxk
