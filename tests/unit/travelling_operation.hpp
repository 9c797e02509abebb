// An operation on a table as a task that goes to where the key is and comes home with the result. How it gets there is
// for a Way to say (two_phases.hpp is the default).
#pragma once

#include <cstdint>

#include "hashtable/layout/bucketed.hpp"
#include "tasks/worker.hpp"
#include "tests/unit/linearizable.hpp"

namespace mxk::test {

constexpr TableResult result_of(TableResult result) {
    return result;
}
constexpr TableResult result_of(bool yes) {
    return yes ? TableResult::Yes : TableResult::No;
}
constexpr TableResult result_of(Insert insert) {
    switch (insert) {
    case Insert::Inserted: return TableResult::Yes;
    case Insert::Present: return TableResult::No;
    case Insert::Full: break;
    }
    return TableResult::Full;
}

class TravellingOperation;

// How an operation gets to its key, and home: it calls perform() once, or says itself in `event` what came of it, and
// at last return_to_client().
class Way {
  public:
    Way() = default;
    Way(Way const&) = delete;
    Way& operator=(Way const&) = delete;
    virtual ~Way() = default;

    // Takes the operation away. At its home, which is the worker's core.
    virtual void send(Worker& worker, TravellingOperation& operation) = 0;
};

class TravellingOperation : public Task {
  public:
    // `at_home`: what runs there when it has come back.
    TravellingOperation(CoreId home_core, Body at_home)
        : Task(at_home, home_core)
        , at_home_(at_home) {}

    // Where the region may be touched. insert() and upsert() give an Insert, a TableResult or a bool; find() and
    // modify() what is false or points to the value; erase() and update() a bool.
    template <typename Region> void perform(Region& region) {
        dispatch(event.operation, [&](auto known) {
            if constexpr (known == Operation::Insert) {
                event.result = result_of(region.insert(event.key, event.value));
            } else if constexpr (known == Operation::Erase) {
                event.result = result_of(region.erase(event.key));
            } else if constexpr (known == Operation::Update) {
                event.result = result_of(region.update(event.key, event.value));
            } else if constexpr (known == Operation::Upsert) {
                event.result = result_of(region.upsert(event.key, event.value));
            } else {
                auto const found = found_by<known>(region);
                event.result = result_of(bool(found));
                if (found) event.value = *found;
            }
        });
    }

    // Any core, whose worker it is. The operation is its home's then.
    void return_to_client(Worker& worker) {
        body = at_home_;
        worker.append(*this, home);
    }

    Event event;        // what is to be done, and what came of it
    Way* way = nullptr; // by which it travels, if that has to know

  private:
    template <Operation operation, typename Region> auto found_by(Region& region) const {
        if constexpr (operation == Operation::Modify)
            return region.modify(event.key, [](std::uint64_t before) { return before + modify_addend; });
        else
            return region.find(event.key);
    }

    Body at_home_;
};

} // namespace mxk::test
