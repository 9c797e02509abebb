// The thesis' table with open addressing (section 3.3, Algorithm 3.6): an operation that reaches the end of a region
// sends its task on to the next core, the last one's is the first, until it knows its result; then the task goes home.
// The thesis' rehash is missing, so an insert without a place is wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/table/core_run.hpp"
#include "bench/table/table_access.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/table/travelling_probe.hpp"

namespace mxk::bench {

// As an engine uses it (table_access.hpp): an operation may come through several regions, so what a core does for it is
// a visit, and only the last one says whether the result is the expected one.
class OpenTravelAccess : public TableAccess<ProbedRegion> {
  public:
    struct Extra {};
    static constexpr double default_buckets = 2; // slots per operation: the thesis', which then needs no rehash

    // Errors: no memory, fewer slots than cores.
    static Result<OpenTravelAccess> create(EngineSetup const& setup);
    Result<void> reset() { return make_table(); }

    [[nodiscard]] Extra extra(std::size_t, std::size_t) const { return {}; }

    enum class Visit : std::uint8_t { Right, Wrong, MovesOn };

    // At region `at`: whether the result, and the value found, are the expected ones, or unknown yet. The owner only.
    template <Operation operation> Visit visit(std::size_t at, TravellingProbe& probe, bool expected) {
        Probed const probed = step<operation>(at, probe);
        if (probed == Probed::EndOfRegion) [[unlikely]]
            return Visit::MovesOn;
        // What an insert expects is that the key was not there.
        bool const expects_key = expected != (operation == Operation::Insert);
        bool is_right = probed == (expects_key ? Probed::There : Probed::NotThere);
        if (operation == Operation::Find && probed == Probed::There)
            is_right = is_right && probe.value() == value_of(probe.key());
        return is_right ? Visit::Right : Visit::Wrong;
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return TravellingProbe::next(table(), at); }

    [[nodiscard]] bool holds(std::uint64_t key) const;
    [[nodiscard]] Engine::Content content() const;

  private:
    using TableAccess::TableAccess;

    template <Operation operation> Probed step(std::size_t at, TravellingProbe& probe) {
        if constexpr (operation == Operation::Insert)
            return probe.put(table(), at);
        else if constexpr (operation == Operation::Find)
            return probe.find(table(), at);
        else
            return probe.erase(table(), at);
    }
};

inline Result<OpenTravelAccess> OpenTravelAccess::create(EngineSetup const& setup) {
    return OpenTravelAccess(setup, MXK_TRY(count_buckets(setup.options, default_buckets, setup.owners.size())));
}

inline bool OpenTravelAccess::holds(std::uint64_t key) const {
    TravellingProbe probe(key);
    std::size_t at = owner(key);
    Probed probed = probe.find(table(), at);
    while (probed == Probed::EndOfRegion) probed = probe.find(table(), at = next(at));
    return probed == Probed::There && probe.value() == value_of(key);
}

inline Engine::Content OpenTravelAccess::content() const {
    Engine::Content content;
    for (std::size_t i = 0; i < table().region_count(); ++i)
        table().region(i).for_each([&](std::uint64_t, std::uint64_t) { ++content.counted; });
    content.said = table().size();
    return content;
}

// The two-phase task (two_phase.hpp) on it. One cache line.
class OpenTravelTask : public Task {
  public:
    using Run = TwoPhaseRun<OpenTravelAccess>;

    OpenTravelTask(Run const& run, CoreId home_core)
        : Task(&initial, home_core)
        , run_(run) {}

  private:
    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<OpenTravelTask&>(task);
        std::size_t const here = self.run_.cores.place(worker);
        auto const [instruction, owner, extra] = take_next(self.run_, here);
        if (instruction == nullptr) [[unlikely]]
            return self.run_.cores.run(here).task_ended();
        self.probe_ = TravellingProbe(instruction->key, value_of(instruction->key));
        self.expected_ = instruction->expected;
        task.body = dispatch(instruction->operation, [](auto operation) -> Body { return &operate<operation>; });
        task.touches = announce(worker, self.run_, instruction->key, owner);
        worker.append(task, self.run_.cores.core(owner));
    }

    template <Operation operation> static void operate(Worker& worker, Task& task) {
        using Visit = OpenTravelAccess::Visit;
        auto& self = static_cast<OpenTravelTask&>(task);
        OpenTravelAccess& access = self.run_.access;
        std::size_t const here = self.run_.cores.place(worker);
        Visit const visit = access.visit<operation>(here, self.probe_, self.expected_);
        // At home, the next instruction comes in sequence; at the next core, a region's first slots, which seldom
        // happens and where a search goes on in sequence.
        task.touches = {};
        if (visit == Visit::MovesOn) [[unlikely]]
            return worker.append(task, self.run_.cores.core(access.next(here)));
        if (visit == Visit::Wrong) [[unlikely]]
            self.run_.cores.run(here).count_wrong();
        task.body = &initial;
        worker.append(task, task.home);
    }

    bool expected_ = false; // in front: fits behind the task's home
    Run const& run_;
    TravellingProbe probe_;
};

} // namespace mxk::bench
