// Random operations in batches, from several clients to several owners at a time, against a model.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "arch/linux/runtime.hpp"
#include "hashtable/batch_client.hpp"
#include "hashtable/bucketed.hpp"
#include "hashtable/partitioned.hpp"
#include "tasks/parallel.hpp"
#include "tests/unit/batched_regions.hpp"

namespace mxk::test {
namespace {

// What the operation with this number, in the order of submission, must come to.
struct Expected {
    std::uint64_t key;
    TableOperation operation;
    TableResult result;
    std::uint64_t value; // of a find that finds
    bool is_here = false;
};

// Nobody else uses the client's keys, so the model knows the result of each operation when it is submitted: if any two
// operations on a key changed places, on their way or at the owner, some result would differ.
template <typename Regions> class RandomUser : public Task {
  public:
    RandomUser(Worker& worker, Batched<Regions>& table, Regions const& regions, std::uint64_t number,
               std::size_t operations, std::size_t spare, std::atomic<std::size_t>& users_left)
        : Task(&RandomUser::go_on)
        , regions_(regions)
        , number_(number)
        , operations_(operations)
        , random_(number)
        , last_(regions.region_count())
        , left_(users_left)
        , client_(worker, table, Client::Memory::create(table, worker.node(), spare).value(), Check{*this}) {
        expected_.reserve(operations);
    }

    [[nodiscard]] std::size_t refusals() const { return refusals_; }
    [[nodiscard]] std::size_t completed() const { return completed_; }
    [[nodiscard]] std::unordered_map<std::uint64_t, std::uint64_t> const& model() const { return model_; }

  private:
    using Cookie = std::uint32_t;
    struct Check {
        RandomUser& user;
        void operator()(Worker& worker, CookieBatch<Cookie> const& batch) { user.check(worker, batch); }
    };
    using Client = BatchClient<Regions, Check, Cookie>;

    static void go_on(Worker& worker, Task& task) {
        auto& self = static_cast<RandomUser&>(task);
        for (std::size_t burst = 1 + self.random_() % 300; burst > 0; --burst) {
            if (!self.has_next_) {
                if (self.expected_.size() == self.operations_) return self.end();
                self.make_next();
            }
            Expected const& next = self.expected_.back();
            if (!self.client_.submit(next.operation, next.key, self.next_value_,
                                     static_cast<Cookie>(self.expected_.size() - 1))) {
                ++self.refusals_;
                return self.client_.when_room(task);
            }
            self.has_next_ = false;
        }
        worker.append(task);
    }

    void make_next() {
        std::uint64_t const key = (number_ << 32) + 1 + random_() % 3000;
        auto const at = model_.find(key);
        bool const there = at != model_.end();
        next_value_ = random_();
        auto const yes_if = [](bool yes) { return yes ? TableResult::Yes : TableResult::No; };
        // Long runs of one kind as well as mixtures.
        if (random_() % 128 == 0) kind_ = random_() % 4;
        switch (kind_ < 3 ? kind_ : random_() % 3) {
        case 0:
            expected_.push_back({key, TableOperation::Insert, yes_if(!there), 0});
            model_.try_emplace(key, next_value_);
            break;
        case 1: expected_.push_back({key, TableOperation::Find, yes_if(there), there ? at->second : 0}); break;
        default: expected_.push_back({key, TableOperation::Erase, yes_if(there), 0}); model_.erase(key);
        }
        has_next_ = true;
    }

    void check(Worker& worker, CookieBatch<Cookie> const& batch) {
        EXPECT_EQ(worker.core(), batch.home);
        ASSERT_GT(batch.size(), 0U);
        bool all_yes = true;
        for (std::size_t at = 0; at < batch.size(); ++at) {
            ASSERT_LT(batch.cookie(at), expected_.size());
            Expected& expected = expected_[batch.cookie(at)];
            ASSERT_FALSE(expected.is_here);
            expected.is_here = true;
            ASSERT_EQ(batch.key(at), expected.key);
            ASSERT_EQ(batch.operation(at), expected.operation);
            ASSERT_EQ(batch.result(at), expected.result);
            if (expected.operation == TableOperation::Find && expected.result == TableResult::Yes) {
                ASSERT_EQ(batch.value(at), expected.value);
            }
            // From one region results come in order.
            std::uint32_t& last = last_[regions_.owner(batch.key(at))];
            ASSERT_GE(batch.cookie(at), last);
            last = batch.cookie(at) + 1;
            all_yes = all_yes && batch.result(at) == TableResult::Yes;
            ++completed_;
        }
        EXPECT_EQ(batch.all_yes(), all_yes);
    }

    void end() {
        body = [](Worker& worker, Task& task) {
            auto& self = static_cast<RandomUser&>(task);
            EXPECT_TRUE(self.client_.at_rest());
            self.left_.fetch_sub(1);
            worker.append(self.wake_console_, core_id(0));
        };
        client_.flush();
        client_.when_at_rest(*this);
    }

    Regions const& regions_;
    std::uint64_t number_;
    std::size_t operations_;
    std::mt19937_64 random_;
    std::uint64_t kind_ = 3;
    std::unordered_map<std::uint64_t, std::uint64_t> model_;
    std::vector<Expected> expected_;
    bool has_next_ = false; // the last one expected is not submitted yet
    std::uint64_t next_value_ = 0;
    std::vector<std::uint32_t> last_; // by region
    std::size_t completed_ = 0;
    std::size_t refusals_ = 0;
    std::atomic<std::size_t>& left_;
    Task wake_console_{[](Worker&, Task&) {}};
    Client client_;
};

struct Shape {
    std::size_t cores;
    std::vector<std::size_t> clients;
    std::vector<std::size_t> owners;
    std::size_t spare = 32;
};

std::vector<CoreId> ids(std::vector<std::size_t> const& cores) {
    std::vector<CoreId> result;
    result.reserve(cores.size());
    for (std::size_t const core : cores) result.push_back(core_id(core));
    return result;
}

// Returns how often operations were refused.
template <typename Regions, typename Holds>
std::size_t run_users(Shape const& shape, Regions& regions, std::size_t operations, Holds holds) {
    auto batched = Batched<Regions>::create(regions);
    EXPECT_TRUE(batched.ok());
    std::atomic<std::size_t> left = shape.clients.size();
    std::vector<std::unique_ptr<RandomUser<Regions>>> users;
    for (std::size_t i = 0; i < shape.clients.size(); ++i) {
        Worker& worker = workers::of(core_id(shape.clients[i]));
        users.push_back(std::make_unique<RandomUser<Regions>>(worker, batched.value(), regions, i + 1, operations,
                                                              shape.spare, left));
        Worker::current().append(*users.back(), worker.core());
    }
    Worker::current().run_until([&] { return left.load() == 0; });
    std::size_t refusals = 0;
    for (auto const& user : users) {
        EXPECT_EQ(user->completed(), operations);
        refusals += user->refusals();
        for (auto const& [key, value] : user->model()) {
            auto const* const found = holds(key);
            EXPECT_TRUE(found != nullptr && *found == value);
        }
    }
    return refusals;
}

template <typename Delay> std::size_t run_shape(Shape const& shape, std::size_t operations) {
    auto runtime = Runtime::start({.cores = static_cast<std::uint32_t>(shape.cores),
                                   .nodes = shape.cores > 1 ? 2U : 1U,
                                   .memory_bytes = 64 * MiB});
    EXPECT_TRUE(runtime.ok());
    std::size_t refusals = 0;
    runtime.value().run([&](Worker&) {
        MapRegions<Delay> regions(ids(shape.owners));
        refusals = run_users(shape, regions, operations,
                             [&](std::uint64_t key) { return regions.region(regions.owner(key)).find(key); });
    });
    return refusals;
}

std::vector<std::size_t> const eight = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(BatchedRandom, one_core_alone) {
    run_shape<NoDelay>({.cores = 1, .clients = {0}, .owners = {0}}, 60000);
}
TEST(BatchedRandom, all_to_all) {
    run_shape<NoDelay>({.cores = 8, .clients = eight, .owners = eight}, 8000);
}
TEST(BatchedRandom, all_to_all_with_two_batches_each_and_delays) {
    EXPECT_GT(run_shape<RandomDelay>({.cores = 8, .clients = eight, .owners = eight, .spare = 0}, 3000), 0U);
}
TEST(BatchedRandom, one_to_eight) {
    run_shape<RandomDelay>({.cores = 8, .clients = {0}, .owners = eight}, 20000);
}
TEST(BatchedRandom, eight_to_one) {
    EXPECT_GT(run_shape<RandomDelay>({.cores = 8, .clients = eight, .owners = {3}, .spare = 4}, 4000), 0U);
}
TEST(BatchedRandom, several_clients_and_regions_of_one_core) {
    run_shape<NoDelay>({.cores = 2, .clients = {0, 0, 0, 1, 1}, .owners = {1, 0, 1, 0, 0}, .spare = 3}, 10000);
}

TEST(BatchedRandom, a_bucketed_table) {
    auto runtime = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 256 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker&) {
        using Regions = Partitioned<Bucketed>;
        std::vector<Owner> owners;
        owners.reserve(4);
        for (std::size_t i = 0; i < 4; ++i) owners.push_back({core_id(i), workers::of(core_id(i)).node()});
        auto regions = Regions::create(2000, owners); // chains, too
        ASSERT_TRUE(regions.ok());
        Shape const shape{.cores = 4, .clients = {0, 1, 2, 3}, .owners = {0, 1, 2, 3}};
        run_users(shape, regions.value(), 20000, [&](std::uint64_t key) {
            return std::as_const(regions.value()).region(regions.value().owner(key)).find(key);
        });
    });
}

} // namespace
} // namespace mxk::test
