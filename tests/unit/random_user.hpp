// A client of a table that is sent batches, with random operations on keys of its own, of which it knows each result.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <unordered_map>
#include <vector>

#include "hashtable/batch/batch_client.hpp"
#include "tasks/worker.hpp"

namespace mxk::test {

// What the operation with this number, in the order of submission, must come to.
struct Expected {
    std::uint64_t key;
    Operation operation;
    TableResult result;
    std::uint64_t value; // of a find or modify that finds
    bool is_here = false;
};

enum class OwnersMay { Stay, Change };

// Which keys a user has: the one with this index, of up to `keys_of_user`; no other user has the same.
using UserKey = std::uint64_t (*)(std::uint64_t user, std::uint64_t index);
constexpr std::uint64_t keys_of_user = 3000;
inline std::uint64_t numbered_key(std::uint64_t user, std::uint64_t index) {
    return (user << 32) + 1 + index;
}

// Nobody else uses the client's keys, so the model knows the result of each operation when it is submitted: if any two
// operations on a key changed places, on their way or at the owner, some result would differ.
template <typename Regions> class RandomUser : public Task {
  public:
    RandomUser(Worker& worker, Batched<Regions>& table, Regions const& regions, std::uint64_t number,
               std::size_t operations, std::size_t spare, std::atomic<std::size_t>& users_left,
               OwnersMay owners = OwnersMay::Stay, UserKey key_of = &numbered_key)
        : Task(&RandomUser::go_on)
        , regions_(regions)
        , number_(number)
        , operations_(operations)
        , random_(number)
        , last_(regions.region_count())
        , left_(users_left)
        , owners_(owners)
        , key_of_(key_of)
        , client_(worker, table, Client::Memory::create(table, worker.node(), spare, 0).value(), Check{*this}) {
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
        std::uint64_t const key = key_of_(number_, random_() % keys_of_user);
        auto const at = model_.find(key);
        bool const there = at != model_.end();
        next_value_ = random_();
        auto const yes_if = [](bool yes) { return yes ? TableResult::Yes : TableResult::No; };
        // Long runs of one kind as well as mixtures, of all or of the first three.
        if (random_() % 128 == 0) kind_ = random_() % 8;
        using enum Operation;
        auto const operation = static_cast<Operation>(kind_ < 6 ? kind_ : random_() % (kind_ == 6 ? 3 : 6));
        bool const is_new = operation == Insert || operation == Upsert;
        bool const gives_value = there && (operation == Find || operation == Modify);
        expected_.push_back({key, operation, yes_if(there != is_new), gives_value ? at->second : 0});
        switch (operation) {
        case Find: break;
        case Insert: model_.try_emplace(key, next_value_); break;
        case Upsert: model_[key] = next_value_; break;
        case Erase: model_.erase(key); break;
        case Update:
            if (there) at->second = next_value_;
            break;
        case Modify:
            if (there) at->second += next_value_;
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
            bool const has_value = expected.operation == Operation::Find || expected.operation == Operation::Modify;
            if (has_value && expected.result == TableResult::Yes) {
                ASSERT_EQ(batch.value(at), expected.value);
            }
            all_yes = all_yes && batch.result(at) == TableResult::Yes;
            ++completed_;
            if (owners_ == OwnersMay::Change) continue;
            // From one region results come in order.
            std::uint32_t& last = last_[regions_.owner(batch.key(at))];
            ASSERT_GE(batch.cookie(at), last);
            last = batch.cookie(at) + 1;
        }
        EXPECT_EQ(batch.all_yes(), all_yes);
    }

    void end() {
        body = [](Worker& worker, Task& task) {
            auto& self = static_cast<RandomUser&>(task);
            EXPECT_TRUE(self.client_.at_rest());
            worker.append(self.ended_, core_id(0));
        };
        client_.flush();
        client_.when_at_rest(*this);
    }

    Regions const& regions_;
    std::uint64_t number_;
    std::size_t operations_;
    std::mt19937_64 random_;
    std::uint64_t kind_ = 6;
    std::unordered_map<std::uint64_t, std::uint64_t> model_;
    std::vector<Expected> expected_;
    bool has_next_ = false; // the last one expected is not submitted yet
    std::uint64_t next_value_ = 0;
    std::vector<std::uint32_t> last_; // by region
    std::size_t completed_ = 0;
    std::size_t refusals_ = 0;
    std::atomic<std::size_t>& left_;
    OwnersMay owners_;
    UserKey key_of_;
    // Tells the console's core, which may free the user then.
    struct Ended : Task {
        explicit Ended(std::atomic<std::size_t>& its_left)
            : Task([](Worker&, Task& task) { static_cast<Ended&>(task).left.fetch_sub(1); })
            , left(its_left) {}
        std::atomic<std::size_t>& left;
    };
    Ended ended_{left_};
    Client client_;
};

} // namespace mxk::test
