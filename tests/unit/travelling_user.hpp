// A user of a sharded table whose operations are tasks that go to the owner of their key and come home, for every
// layout and every kind of key: random operations on keys of its own, each result against the standard's map.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "hashtable/table/sharded.hpp"
#include "tasks/worker.hpp"
#include "tests/unit/table_content.hpp"

namespace mxk::test {

// The place of each owner is the number of its core.
template <typename Regions> class TravellingUser {
    using Table = typename Regions::Table;
    using Key = typename Table::Key;
    using Item = typename Table::Item;
    using Items = ItemsOf<Item>;

  public:
    static constexpr std::size_t travellers = 8;

    // `operations` of each traveller. `left`: of all users' travellers, who have not ended.
    TravellingUser(Regions& regions, CoreId home, std::size_t operations, std::atomic<std::size_t>& left)
        : home_(home) {
        for (std::size_t i = 0; i < travellers; ++i)
            travellers_.push_back(
                std::make_unique<Traveller>(regions, home, index(home) * travellers + i, operations, left));
    }

    void start(Worker& here) {
        for (auto const& traveller : travellers_) here.append(*traveller, home_);
    }

    // While nobody works.
    [[nodiscard]] std::size_t keys() const {
        std::size_t sum = 0;
        for (auto const& traveller : travellers_) sum += traveller->model.size();
        return sum;
    }
    void check_all() const {
        for (auto const& traveller : travellers_) traveller->check_all();
    }

  private:
    // Has keys of its own, hence one operation on a key at a time.
    struct Traveller : Task {
        static constexpr std::uint64_t keys = 400;

        Traveller(Regions& its_regions, CoreId home_core, std::uint64_t its_number, std::size_t operations,
                  std::atomic<std::size_t>& travellers_left)
            : Task(&Traveller::start_next, home_core)
            , regions(its_regions)
            , first_number(its_number * keys)
            , left(operations)
            , random(its_number)
            , others_left(travellers_left) {}
        ~Traveller() {
            for (auto const& [at, its_item] : model) Items::destroy(its_item);
        }
        Traveller(Traveller const&) = delete;
        Traveller& operator=(Traveller const&) = delete;

        static void start_next(Worker& worker, Task& task) {
            auto& self = static_cast<Traveller&>(task);
            if (self.left-- == 0) {
                self.others_left.fetch_sub(1);
                task.body = [](Worker&, Task&) {};
                return worker.append(task, core_id(0)); // so that the waiter there looks again
            }
            self.number = self.first_number + self.random() % keys;
            self.key = KeyOf<Key>::of(self.number);
            // Waves of growth and of shrinking.
            bool const is_growing = self.left / 2048 % 2 == 0;
            self.kind = self.random() % 10 < 6 ? (is_growing ? 0 : 1) : static_cast<unsigned>(self.random() % 3);
            if (self.kind == 0) self.item = Items::make(self.key, self.random());
            task.body = &arrive;
            worker.append(task, self.regions.core(self.regions.owner(self.key)));
        }

        static void arrive(Worker& worker, Task& task) {
            auto& self = static_cast<Traveller&>(task);
            std::size_t const here = index(worker.core());
            if (self.regions.is_diverted(worker, here, self.key, task)) return;
            OwnedShards<Table>& owned = self.regions.region(here);
            switch (self.kind) {
            case 0: self.inserted = owned.insert(self.key, self.item); break;
            case 1: self.is_there = owned.erase(self.key); break;
            default:
                auto const found = owned.find(self.key);
                self.is_there = found != nullptr;
                if (self.is_there) self.item = Items::shown(found);
            }
            task.body = &complete;
            worker.append(task, task.home);
        }

        static void complete(Worker& worker, Task& task) {
            auto& self = static_cast<Traveller&>(task);
            self.check();
            task.body = &start_next;
            start_next(worker, task);
        }

        void check() {
            auto const at = model.find(number);
            bool const was_there = at != model.end();
            if (kind == 0) {
                EXPECT_EQ(inserted, was_there ? Insert::Present : Insert::Inserted);
                if (inserted == Insert::Inserted)
                    model.emplace(number, item);
                else
                    Items::destroy(item);
                return;
            }
            EXPECT_EQ(is_there, was_there);
            if (!is_there || !was_there) return;
            if (kind == 1) {
                Items::destroy(at->second);
                model.erase(at);
            } else {
                EXPECT_EQ(item, at->second);
            }
        }

        void check_all() const {
            for (auto const& [at, expected] : model) {
                Key const its_key = KeyOf<Key>::of(at);
                auto const found = regions.region(regions.owner(its_key)).find(its_key);
                EXPECT_TRUE(found != nullptr && Items::shown(found) == expected);
            }
        }

        Regions& regions;
        std::uint64_t first_number;
        std::size_t left;
        std::mt19937_64 random;
        std::atomic<std::size_t>& others_left;
        std::unordered_map<std::uint64_t, Item> model;
        // The operation that is under way.
        std::uint64_t number = 0;
        Key key{};
        Item item{};
        unsigned kind = 0; // insert, erase, find
        Insert inserted = Insert::Full;
        bool is_there = false;
    };

    CoreId home_;
    std::vector<std::unique_ptr<Traveller>> travellers_;
};

} // namespace mxk::test
