// The plain way of an operation: to the owner of the key's region, and home (thesis section 3.2).
#pragma once

#include "tasks/worker.hpp"
#include "tests/unit/random_pause.hpp"
#include "tests/unit/travelling_operation.hpp"

namespace mxk::test {

// Regions: has owner(key) and core(region), for any core, and region(at), for its owner. Where an operation does not
// find the owner, because the region has moved since, it goes on to the new one.
template <typename Regions> class TwoPhases final : public Way {
  public:
    explicit TwoPhases(Regions& regions)
        : regions_(regions) {}

    void send(Worker& worker, TravellingOperation& operation) override {
        operation.way = this;
        operation.body = &TwoPhases::at_owner;
        RandomPause::point();
        worker.append(operation, regions_.core(regions_.owner(operation.event.key)));
    }

  private:
    static void at_owner(Worker& worker, Task& task) {
        auto& operation = static_cast<TravellingOperation&>(task);
        RandomPause::point();
        Regions& regions = static_cast<TwoPhases*>(operation.way)->regions_;
        std::size_t const region = regions.owner(operation.event.key);
        CoreId const owner = regions.core(region);
        if (owner != worker.core()) return worker.append(task, owner);
        operation.perform(regions.region(region));
        RandomPause::point();
        operation.return_to_client(worker);
    }

    Regions& regions_;
};

} // namespace mxk::test
