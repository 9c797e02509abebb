// Operations of several clients under way at once in very small tables, on one thread that draws who goes on next: all
// that queues which keep the order per sender may do, and more of it than cores show.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "tests/unit/travelling_probe_fixture.hpp"

namespace mxk::test {
namespace {

struct Shape {
    std::size_t slots;
    std::size_t regions;
    std::size_t clients;
    std::size_t under_way; // up to, for each client
    std::size_t keys;      // of all clients
    std::size_t finds;     // percent; the others are puts and erases
};

class TravellingProbeOrderTest : public TravellingProbeTest {
  protected:
    struct Traveller {
        TravellingProbe probe;
        probing::Record* record = nullptr;
        bool has_arrived = false; // at its key's owner
    };

    // Operations on their way between two places, in order.
    struct Way {
        std::size_t region; // where it leads
        std::deque<Traveller> travellers;
    };

    class Schedule {
      public:
        Schedule(Shape const& shape, std::uint64_t seed)
            : shape_(shape)
            , table_(create(shape.slots, shape.regions))
            , random_(seed)
            , arrivals_(shape.keys)
            , sent_(shape.clients)
            , under_way_(shape.clients) {
            // From each client, and from the region in front, to each region.
            for (std::size_t from = 0; from <= shape.clients; ++from)
                for (std::size_t region = 0; region < shape.regions; ++region) ways_.push_back({region, {}});
        }

        probing::Outcome run(std::size_t operations) {
            records_.reserve(operations); // pointers to them travel
            while (records_.size() < operations ||
                   std::ranges::any_of(under_way_, [](std::size_t n) { return n > 0; })) {
                std::size_t const at = random_() % (ways_.size() + shape_.clients);
                if (at < ways_.size())
                    go_on(ways_[at]);
                else if (records_.size() < operations)
                    send(at - ways_.size());
            }
            return probing::replay(records_, table_);
        }

      private:
        void send(std::size_t client) {
            if (under_way_[client] == shape_.under_way) return;
            ++under_way_[client];
            std::uint64_t const key = 1 + random_() % shape_.keys;
            Kind const kind = random_() % 100 < shape_.finds ? Kind::Find
                              : random_() % 2 == 0           ? Kind::Put
                                                             : Kind::Erase;
            auto& record = records_.emplace_back();
            record.key = key;
            record.client = static_cast<std::uint32_t>(client);
            record.number = sent_[client]++;
            record.kind = kind;
            way(client, table_.owner(key)).travellers.push_back({TravellingProbe(key, records_.size()), &record});
        }

        void go_on(Way& way_here) {
            if (way_here.travellers.empty()) return;
            Traveller traveller = way_here.travellers.front();
            way_here.travellers.pop_front();
            std::size_t const here = way_here.region;
            probing::Record& record = *traveller.record;
            if (!traveller.has_arrived) record.place = arrivals_[record.key - 1]++;
            traveller.has_arrived = true;
            record.result = probing::visit(traveller.probe, record.kind, table_, here);
            if (record.result == Probed::EndOfRegion) {
                way(shape_.clients, TravellingProbe::next(table_, here)).travellers.push_back(traveller);
            } else {
                record.value = traveller.probe.value();
                --under_way_[record.client];
            }
        }

        Way& way(std::size_t from, std::size_t region) { return ways_[from * shape_.regions + region]; }

        Shape shape_;
        Table table_;
        std::mt19937_64 random_;
        std::vector<Way> ways_;
        std::vector<probing::Record> records_;
        std::vector<std::uint32_t> arrivals_; // by key
        std::vector<std::uint32_t> sent_;     // by client
        std::vector<std::size_t> under_way_;  // by client
    };

    static probing::Outcome run(Shape const& shape, std::uint64_t seed, std::size_t operations) {
        probing::Outcome const outcome = Schedule(shape, seed).run(operations);
        EXPECT_EQ(outcome.wrong, 0U);
        EXPECT_EQ(outcome.strayed, 0U);
        EXPECT_EQ(outcome.in_table, outcome.expected_in_table);
        return outcome;
    }
};

TEST_F(TravellingProbeOrderTest, each_result_is_that_of_the_order_of_arrival) {
    for (Shape const& shape :
         {Shape{1, 1, 2, 3, 2, 30}, Shape{3, 1, 2, 4, 3, 30}, Shape{2, 2, 2, 3, 4, 30}, Shape{3, 3, 3, 3, 5, 30},
          Shape{5, 2, 3, 4, 4, 20}, Shape{6, 3, 3, 5, 10, 20}, Shape{8, 4, 4, 4, 6, 30}, Shape{8, 8, 2, 10, 5, 30},
          Shape{12, 4, 8, 8, 24, 20}, Shape{40, 4, 4, 8, 30, 30}}) {
        probing::Outcome const outcome = run(shape, shape.slots, 100'000);
        if (shape.slots < shape.keys) {
            EXPECT_GT(outcome.full, 0U);
        }
    }
}

// While there are empty slots, and not long after: each begins with an empty table.
TEST_F(TravellingProbeOrderTest, young_tables_too) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed)
        run({.slots = 4 + seed % 13, .regions = 1 + seed % 4, .clients = 3, .under_way = 4, .keys = 8, .finds = 30},
            seed, 100);
}

} // namespace
} // namespace mxk::test
