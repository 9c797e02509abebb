// Owners of a table's shards that change while operations are on their way: each operation is done once, by the core
// that owns the shard, and those of one client on one key in the order in which it sent them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hashtable/table/resharding.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

constexpr std::size_t max_clients = 2;

// A shard has a key, which is its number.
struct KeyHash {
    std::uint64_t operator()(std::uint64_t key) const { return key << first_bit; }
    static inline unsigned first_bit = 0; // set by a use
};

struct NoLayout {
    using Key = std::uint64_t;
    using Position = int;
};

// How many operations of each client it has seen.
class CountedTable {
  public:
    using Key = std::uint64_t;
    using Item = std::uint64_t;
    using HashType = KeyHash;
    using Layout = NoLayout;
    struct Position {
        CountedTable* table;
    };

    static Result<CountedTable> create(TableSize /*size*/, NodeId /*node*/, KeyHash /*hash*/, HashPrefix /*prefix*/) {
        return CountedTable();
    }
    Position position(Key /*key*/) { return {this}; }

    // By the core that owns it from now on, after the run has begun.
    void tell(WorkListener& listener, void* context) {
        listener_ = &listener;
        context_ = context;
        std::uint64_t const core = index(Worker::current().core());
        if (WeakMemory::current().self() != 0)
            WeakMemory::current().check(owner_ != core, "a shard comes to where it was");
        owner_ = core;
    }
    void set_owner(std::uint64_t core) { owner_ = core; }
    void move_to(NodeId /*node*/) {}
    [[nodiscard]] bool has_work() const { return work_left_ != 0; }
    void work() {
        WeakMemory::current().check(has_work(), "there is no work");
        work_left_ -= 1;
        Worker::current().note_progress();
    }
    void add_work(std::uint64_t steps) {
        work_left_ += steps;
        listener_->has_work(*listener_, context_);
    }

    void count(std::size_t client, std::uint64_t number) {
        WeakMemory::current().check(owner_ == index(Worker::current().core()), "the shard is another core's");
        WeakMemory::current().check(done_.at(client) + 1 == number, "an operation is lost, done twice, or overtaken");
        done_.at(client) = number;
    }
    [[nodiscard]] std::uint64_t done(std::size_t client) const { return done_.at(client); }

  private:
    std::array<ModelPlain<std::uint64_t>, max_clients> done_{};
    ModelPlain<std::uint64_t> owner_{0U}; // written when it comes: a race with who still uses it
    ModelPlain<std::uint64_t> work_left_{0U};
    WorkListener* listener_ = nullptr;
    void* context_ = nullptr;
};

using Regions = Sharded<CountedTable>;

class OwnersUse {
  public:
    enum class Does : std::uint8_t {
        Count, // on one key, as tasks that ask whether they are diverted
        Batch, // on several, as batches, which ask whether they must be parked
        Steps, // begins, and counts in the next turn
        Wait   // counts when the next one comes, or in the next round; or before owners change
    };
    enum class Sends : std::uint8_t {
        AtOnce,   // when it asks for the owner
        Collects, // when it has the next one, and before its core learns of other owners
        Late      // asks before that, and sends behind
    };
    // An operation on each key, one in each turn: of those behind, when its core has learnt of other owners.
    struct Client {
        std::size_t core = 0;
        std::vector<std::uint64_t> keys{};
        std::vector<std::uint64_t> keys_behind{};
        Does does = Does::Count;
        Sends sends = Sends::AtOnce;
        std::vector<std::uint64_t> batch{0, 1}; // its keys, counted from the one that is given
    };
    struct Shape {
        std::size_t cores = 2;
        std::size_t shards_per_core = 1;
        std::size_t owners = 1;
        std::vector<std::size_t> changes{}; // how many owners there are then
        std::vector<Client> clients{};
        bool settles_itself = false; // not by the table's function
        std::uint64_t work = 0;      // steps, which each operation leaves to be done
        std::size_t round = 32;
        bool is_long = false;
        bool is_large = false;
    };

    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.max_events = 1000;
        program.begin = [this, shape] { begin(shape); };
        program.threads.emplace_back([this, shape] { run_console(shape); });
        for (std::size_t i = 1; i < shape.cores; ++i)
            program.threads.emplace_back(
                [this, i] { Worker::current().run_until([this, i] { return ends_.at(i)->has_ended; }); });
        program.end = [this, shape] { end(shape); };
        return {std::move(name), std::move(program), 0, shape.is_long, shape.is_large};
    }

  private:
    struct End : Task {
        End()
            : Task([](Worker&, Task& task) { static_cast<End&>(task).has_ended = true; }) {}
        bool has_ended = false;
    };
    struct Operation : Task {
        Operation(OwnersUse& its_use, std::size_t its_client, Does what, CoreId home_core)
            : Task(&Operation::arrive, home_core)
            , use(its_use)
            , client(its_client)
            , does(what) {}
        OwnersUse& use;
        std::size_t client;
        Does does;
        std::size_t count = 0;
        std::array<std::uint64_t, 4> keys{};
        std::array<std::uint64_t, 4> numbers{}; // of the client's operations on that key, from 1 on

        static void arrive(Worker& worker, Task& task) {
            auto& self = static_cast<Operation&>(task);
            std::size_t const place = index(worker.core());
            auto& owned = self.use.table_->region(place);
            if (self.does == Does::Batch) {
                std::span<std::uint64_t const> const keys(self.keys.data(), self.count);
                if (!owned.is_complete() && owned.must_park(task.home, keys)) return owned.park(task, task.home);
            } else if (self.use.table_->is_diverted(worker, place, self.keys[0], task)) {
                return;
            }
            if (self.does == Does::Wait) return self.use.servers_.at(place)->wait(worker, self);
            if (self.does != Does::Steps) return self.operate(worker);
            task.body = [](Worker& later, Task& begun) { static_cast<Operation&>(begun).operate(later); };
            worker.append(task);
        }
        void operate(Worker& worker) {
            auto& owned = use.table_->region(index(worker.core()));
            for (std::size_t i = 0; i < count; ++i) {
                CountedTable& table = *owned.position(keys.at(i)).table;
                table.count(client, numbers.at(i));
                if (use.work_ != 0) table.add_work(use.work_);
            }
            body = [](Worker&, Task& back) { --static_cast<Operation&>(back).use.left_; };
            worker.append(*this, core_id(0));
        }
    };
    // What one core has of those that wait.
    struct Server : Task {
        Server()
            : Task([](Worker& worker, Task& task) { static_cast<Server&>(task).finish(worker); }) {}
        struct Hook : OwnerChangeHook {
            explicit Hook(Server& its_server)
                : OwnerChangeHook{[](OwnerChangeHook& hook, Worker& worker) {
                    static_cast<Hook&>(hook).server.finish(worker);
                }}
                , server(its_server) {}
            Server& server;
        } hook{*this};
        Operation* waiting = nullptr;

        void wait(Worker& worker, Operation& operation) {
            Operation* const before = std::exchange(waiting, &operation);
            if (before != nullptr) return before->operate(worker);
            worker.when_round(*this);
        }
        void finish(Worker& worker) {
            if (waiting != nullptr) std::exchange(waiting, nullptr)->operate(worker);
        }
    };
    struct Sender : Task {
        Sender(OwnersUse& its_use, Client const& client, std::vector<Operation*> all)
            : Task(&Sender::send)
            , use(its_use)
            , sends(client.sends)
            , left_before(client.keys.size())
            , operations(std::move(all)) {}
        struct Hook : OwnerChangeHook {
            explicit Hook(Sender& its_sender)
                : OwnerChangeHook{[](OwnerChangeHook& hook, Worker& worker) {
                    static_cast<Hook&>(hook).sender.change(worker);
                }}
                , sender(its_sender) {}
            Sender& sender;
        } hook{*this};
        OwnersUse& use;
        Sends sends;
        std::size_t left_before; // of the change
        std::vector<Operation*> operations;
        std::size_t asked = 0;
        std::size_t sent = 0;
        CoreId target{};

        static void send(Worker& worker, Task& task) {
            auto& self = static_cast<Sender&>(task);
            self.send_asked(worker);
            if (self.left_before == 0 && self.sends == Sends::Late) return;
            if (self.asked == self.operations.size()) return;
            self.ask();
            if (self.sends == Sends::AtOnce) self.send_asked(worker);
            if (self.left_before == 0 || --self.left_before != 0) worker.append(task);
        }
        void change(Worker& worker) {
            if (sends == Sends::Late)
                ask();
            else
                send_asked(worker);
            left_before = 0;
            if (sent != operations.size()) worker.append(*this);
        }
        void ask() { target = use.table_->core(use.table_->owner(operations.at(asked++)->keys[0])); }
        void send_asked(Worker& worker) {
            worker.note_progress();
            if (sent != asked) worker.append(*operations.at(sent++), target);
        }
    };

    static std::size_t shards(Shape const& shape) { return std::bit_ceil(shape.cores * shape.shards_per_core); }

    void begin(Shape const& shape) {
        model_round = shape.round;
        make_model_workers(shape.cores);
        std::vector<Owner> places;
        for (std::size_t i = 0; i < shape.cores; ++i) places.push_back({core_id(i), NodeId{}});
        Regions::per_core = shape.shards_per_core;
        KeyHash::first_bit = 64 - static_cast<unsigned>(std::countr_zero(shards(shape)));
        table_ = ModelMemory::make<Regions>(std::move(Regions::create({.slots = 1}, places, shape.owners).value()));
        for (std::size_t i = 0; i < shape.cores; ++i) {
            ends_.at(i) = ModelMemory::make<End>();
            servers_.at(i) = ModelMemory::make<Server>();
            table_->region(i).before_change(servers_.at(i)->hook);
        }
        for (std::uint64_t key = 0; key < shards(shape); ++key) {
            std::size_t const owner = table_->owner(key);
            table_->region(owner).position(key).table->set_owner(owner);
        }
        left_ = 0;
        work_ = shape.work;
        for (std::size_t i = 0; i < shape.clients.size(); ++i) begin(i, shape.clients[i]);
    }
    void begin(std::size_t number, Client const& client) {
        std::vector<Operation*> all;
        done_.at(number) = {};
        for (auto const* keys : {&client.keys, &client.keys_behind})
            for (std::uint64_t const key : *keys) {
                all.push_back(ModelMemory::make<Operation>(*this, number, client.does, core_id(client.core)));
                Operation& operation = *all.back();
                for (std::uint64_t const behind :
                     client.does == Does::Batch ? client.batch : std::vector{std::uint64_t{0}}) {
                    operation.keys.at(operation.count) = key + behind;
                    operation.numbers.at(operation.count++) = ++done_.at(number).at(key + behind);
                }
            }
        left_ += all.size();
        Sender& sender = *ModelMemory::make<Sender>(*this, client, std::move(all));
        table_->before_change(core_id(client.core), sender.hook);
        if (!client.keys.empty()) workers::of(core_id(client.core)).append(sender);
    }
    void run_console(Shape const& shape) {
        for (std::size_t const owners : shape.changes)
            WeakMemory::current().check(Resharding<Regions>::run(*table_, owners).ok(), "no memory");
        if (shape.changes.empty())
            for (std::size_t const wrong : {std::size_t{0}, shape.cores + 1})
                WeakMemory::current().check(!Resharding<Regions>::run(*table_, wrong).ok(), "there are no such owners");
        Worker& here = Worker::current();
        here.run_until([this] { return left_ == 0; });
        if (shape.settles_itself)
            settle(shape);
        else
            table_->settle();
        for (std::size_t i = 1; i < shape.cores; ++i) here.append(*ends_.at(i), core_id(i));
    }
    void settle(Shape const& shape) {
        std::vector<CoreId> cores;
        for (std::size_t i = 0; i < shape.cores; ++i) cores.push_back(core_id(i));
        CoreTasks::create(cores).value().run([this](Worker&, std::size_t place) {
            return table_->region(place).is_settled() ? Step::Done : Step::Again;
        });
    }
    void end(Shape const& shape) {
        std::size_t const last = shape.changes.empty() ? shape.owners : shape.changes.back();
        WeakMemory& memory = WeakMemory::current();
        for (std::uint64_t key = 0; key < shards(shape); ++key) {
            memory.check(table_->owner(key) == key * last / shards(shape), "not the owner that was wanted");
            auto& owned = table_->region(table_->owner(key));
            memory.check(owned.owns(key), "the shard is not its owner's");
            memory.check(owned.is_complete() && owned.is_settled(), "something is left to be done");
            CountedTable& table = *owned.position(key).table;
            memory.check(!table.has_work(), "work is left");
            for (std::size_t i = 0; i < shape.clients.size(); ++i)
                memory.check(table.done(i) == done_.at(i).at(key), "an operation is lost");
        }
    }

    Regions* table_ = nullptr;
    std::array<End*, max_model_threads> ends_{};
    std::array<Server*, max_model_threads> servers_{};
    std::size_t left_ = 0; // core 0's
    std::uint64_t work_ = 0;
    std::array<std::array<std::uint64_t, 8>, max_clients> done_{}; // what is wanted, by client and key
};

// What is listed has work to be done while it leaves.
OwnersUse::Shape works(std::vector<std::uint64_t> keys) {
    OwnersUse::Client client{1, {0}, {}, OwnersUse::Does::Batch, OwnersUse::Sends::Collects, std::move(keys)};
    return {.shards_per_core = 2, .changes = {2}, .clients = {std::move(client)}, .work = 3};
}

constexpr char const* parks_more = "parks what need not wait; it goes on when all have come";

TEST(Model, Owners) {
    using enum OwnersUse::Does;
    using enum OwnersUse::Sends;
    OwnersUse owners;
    Protocol("owners of shards")
        .use(owners.use("none changes", {.clients = {{1, {0, 0}}}}))
        .use(owners.use("works in rounds of one task", {.owners = 2, .clients = {{0, {1}}}, .work = 3, .round = 1}))
        .use(owners.use("settles in rounds of one task",
                        {.owners = 2, .clients = {{0, {1}}}, .settles_itself = true, .work = 3, .round = 1}))
        .use(owners.use("works on two", {.clients = {{1, {0, 1, 0}}}, .work = 3}))
        .use(owners.use("one more, and the new one sends", {.changes = {2}, .clients = {{1, {}, {1, 1}}}}))
        .use(owners.use("one more, a batch", {.shards_per_core = 2, .changes = {2}, .clients = {{1, {}, {2}, Batch}}}))
        .use(owners.use("one more, steps", {.changes = {2}, .clients = {{1, {1}, {}, Steps, Collects}}}))
        .use(owners.use("one more, one that waits", {.changes = {2}, .clients = {{1, {1}, {}, Wait, Collects}}}))
        .use(owners.use("one more, late", {.changes = {2}, .clients = {{1, {}, {1}, Count, Late}}}))
        .use(owners.use("one less", {.owners = 2, .changes = {1}, .clients = {{1, {}, {1}}}}))
        .use(owners.use("one more, works on all", works({1, 3, 0, 2})))
        .use(owners.use("one more, works on three", works({1, 2, 0})))
        .use(owners.use("one more, a batch of the old one",
                        {.shards_per_core = 2, .changes = {2}, .clients = {{0, {}, {2}, Batch}}, .is_long = true}))
        .use(owners.use("one less, rounds of one task",
                        {.owners = 2, .changes = {1}, .clients = {{1, {}, {1}}}, .round = 1, .is_long = true}))
        .use(owners.use("two clients", {.changes = {2}, .clients = {{0, {}, {1}}, {1, {1}, {}}}, .is_long = true}))
        .use(owners.use("two changes", {.changes = {2, 1}, .clients = {{1, {1}, {1}}}, .is_long = true}))
        .use(owners.use("three cores", {.cores = 3, .changes = {2}, .is_long = true}))
        .check({"owned_shards,", "resharding,", "sharded,", "core_tasks,"},
               {{"owned_shards, is_coming() condition 1: always", parks_more},
                {"owned_shards, is_coming() condition 2: always", parks_more},
                {"owned_shards, note_work() condition 2: never", "the loop finds none that is free"},
                {"resharding, carry_out() condition 1: always", "awaits none"},
                {"resharding, carry_out() condition 2: always", "what comes behind waits, too"},
                {"resharding, carry_out() condition 3: always", "what comes before has waited"},
                {"resharding, change_view() condition 3: always", "long: three cores, of which two give nothing away"},
                {"resharding, give_away() condition 1: always", "asks once more, and nothing is left to be finished"},
                {"resharding, prepare() condition 5: never", "nobody counts it down"},
                {"sharded, is_diverted() condition 1: always", "must_park() says that it need not"},
                {"sharded, is_diverted() condition 2: always", parks_more}});
}

} // namespace
} // namespace mxk::test
