// Regions that go from core to core while operations are on their way to them: what a table that is resharded while
// it runs has to cope with, as small as possible. Rightly, and wrongly.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/panic.hpp"
#include "tasks/task_group.hpp"
#include "tests/unit/faulty_regions.hpp"

namespace mxk::test {

// Key k belongs to region k mod n. Each core has a place for each region, which it alone touches, but that an owner
// fills the next one's.
class MovingRegions {
  public:
    MovingRegions(std::size_t regions, std::size_t cores) {
        for (std::size_t i = 0; i < regions; ++i) moving_.emplace_back(core_id(i % cores), cores);
    }

    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return key % moving_.size(); }
    // acquire: who reads that a region is its own sees what was put in its place (pairs with give_to())
    [[nodiscard]] CoreId core(std::size_t region) const { return moving_[region].core.load(std::memory_order_acquire); }
    PlainRegion& region(std::size_t at) { return moving_[at].places[index(Worker::current().core())]; }

    // From a task of the group: sends for the owner, to make the next core the owner.
    void hand_over(Worker& worker, TaskGroup& group, std::size_t region) {
        at_owner(worker, group, region, [this, region](Worker& owner, TaskGroup&) {
            CoreId const next = next_of(region, owner.core());
            moving_[region].places[index(next)] = std::exchange(this->region(region), {});
            give_to(next, region);
        });
    }

    // The same, but what is done to the region while a copy of it is on its way is lost.
    void hand_over_a_copy(Worker& worker, TaskGroup& group, std::size_t region) {
        at_owner(worker, group, region, [this, region](Worker& owner, TaskGroup& its_group) {
            auto const move_in = [this, region, copy = this->region(region)](Worker& next) {
                this->region(region) = copy;
                give_to(next.core(), region);
            };
            expect(its_group.spawn(owner, next_of(region, owner.core()), move_in), "no memory");
        });
    }

    // How many have had an effect; when all is over.
    [[nodiscard]] std::size_t hand_overs() const { return hand_overs_.load(std::memory_order_relaxed); }

  private:
    struct Moving {
        Moving(CoreId owner, std::size_t cores)
            : core(owner)
            , places(cores) {}
        std::atomic<CoreId> core;
        std::vector<PlainRegion> places; // by core
    };

    // It may have moved on when the task comes there: then nothing is done.
    template <typename Function>
    void at_owner(Worker& worker, TaskGroup& group, std::size_t region, Function function) {
        bool const is_sent = group.spawn(worker, core(region), [this, &group, region, function](Worker& there) {
            if (core(region) == there.core()) function(there, group);
        });
        expect(is_sent, "no memory");
    }
    [[nodiscard]] CoreId next_of(std::size_t region, CoreId core) const {
        return core_id((index(core) + 1) % moving_[region].places.size());
    }
    void give_to(CoreId next, std::size_t region) {
        hand_overs_.fetch_add(1, std::memory_order_relaxed);
        moving_[region].core.store(next, std::memory_order_release); // pairs with core()
    }

    std::atomic<std::size_t> hand_overs_{0};
    std::deque<Moving> moving_;
};

} // namespace mxk::test
