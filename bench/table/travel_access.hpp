// Operations on tables with open addressing that travel from region to region (thesis section 3.3, Algorithm 3.6), as
// engines use them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/table/table_access.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/table/travelling_probe.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// What is to be done with the probe at region `at`. `method`: of the operation, or Update of one that overwrites, as
// carry_out() has it (two_phase.hpp).
template <Operation method, typename Regions>
[[gnu::always_inline]] inline Probed step_probe(Regions& table, std::size_t at, TravellingProbe& probe,
                                                Order const& order) {
    if constexpr (method == Operation::Insert) return probe.put(table, at);
    if constexpr (method == Operation::Find) return probe.find(table, at);
    if constexpr (method == Operation::Erase) return probe.erase(table, at);
    switch (order.operation) {
    case Operation::Update: return probe.update(table, at);
    case Operation::Upsert: return probe.put(table, at);
    default: return probe.modify(table, at, [](std::uint64_t value) { return value + version_step; });
    }
}

// An order as it travels, in half the room: the probe's value has the version.
struct TravellingOrder {
    Operation operation = Operation::Insert;
    bool expected = false;
    bool is_exact = false;

    TravellingOrder() = default;
    explicit TravellingOrder(Order const& order)
        : operation(order.operation)
        , expected(order.expected)
        , is_exact(order.is_exact) {}

    // `probe`: as probe_for() made it, and has met nothing since.
    [[nodiscard]] Order with(TravellingProbe const& probe) const {
        return {.operation = operation,
                .expected = expected,
                .is_exact = is_exact,
                .version = static_cast<std::uint32_t>(version_of(probe.key(), probe.value()))};
    }
};

inline TravellingProbe probe_for(std::uint64_t key, Order const& order) {
    return TravellingProbe(key, value_of(key, order.version));
}

// Once that has ended: whether the result, and the value found, are the expected ones.
template <Operation method>
[[gnu::always_inline]] inline bool is_right(Probed probed, TravellingProbe const& probe, Order const& order) {
    bool const puts = method == Operation::Insert || (overwrites(method) && order.operation == Operation::Upsert);
    // What a put expects is that the key was not there.
    if (probed != (order.expected != puts ? Probed::There : Probed::NotThere)) return false;
    bool const has_met = method == Operation::Find || (overwrites(method) && order.operation == Operation::Modify);
    return !has_met || probed != Probed::There || is_value_of(probe.key(), probe.value(), order);
}

// The thesis' table with open addressing (section 3.3, Algorithm 3.6): an operation that reaches the end of a region
// sends its task on to the next core, the last one's is the first, until it knows its result; then the task goes home.
//
// As an engine uses it (table_access.hpp): an operation may come through several regions, so what a core does for it is
// a visit, and only the last one says whether the result is the expected one.
template <typename Region> class TravelAccess : public TableAccess<Region> {
  public:
    static constexpr bool only_owner_knows_lines = false;
    struct Extra {};

    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }

    enum class Visit : std::uint8_t { Right, Wrong, MovesOn };

    // At region `at`: whether the result, and the value found, are the expected ones, or unknown yet. The owner only.
    template <Operation method> Visit visit(std::size_t at, TravellingProbe& probe, TravellingOrder travelling) {
        Order const order = travelling.with(probe);
        Probed const probed = step_probe<method>(this->table(), at, probe, order);
        if (probed == Probed::EndOfRegion) [[unlikely]]
            return Visit::MovesOn;
        return is_right<method>(probed, probe, order) ? Visit::Right : Visit::Wrong;
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return TravellingProbe::next(this->table(), at); }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const {
        TravellingProbe probe(key);
        std::size_t at = this->owner(key);
        Probed probed = probe.find(this->table(), at);
        while (probed == Probed::EndOfRegion) probed = probe.find(this->table(), at = next(at));
        return probed == Probed::There ? std::optional(probe.value()) : std::nullopt;
    }

  protected:
    using TableAccess<Region>::TableAccess;
};

// A table that may make its operations wait before they begin: those that have not taken an instruction
// (keeps_instruction()), and those that have come to their key's owner (keeps_operation()). It counts the others:
// begins(), ended().
template <typename Access>
concept GatedAccess = requires(Access& access, std::size_t here, Task& task) {
    { access.keeps_operation(here, task) } -> std::same_as<bool>;
};

// The two-phase task (two_phase.hpp) on one of them. One cache line.
template <typename Access> class OpenTravelTask : public Task {
  public:
    using Run = TwoPhaseRun<Access>;

    OpenTravelTask(Run const& run, CoreId home_core)
        : Task(&initial, home_core)
        , run_(run) {}

    [[nodiscard]] std::uint64_t key() const { return probe_.key(); }

  private:
    friend MethodBodies<OpenTravelTask>;

    static constexpr bool only_owner_knows_lines = Access::only_owner_knows_lines;

    template <Operation method> static constexpr Body first_step() {
        if constexpr (only_owner_knows_lines || GatedAccess<Access>)
            return &arrive<method>;
        else
            return &operate<method>;
    }

    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<OpenTravelTask&>(task);
        std::size_t const here = worker.place();
        if constexpr (GatedAccess<Access>)
            if (self.run_.access.keeps_instruction(here, task)) return;
        NextInstruction<Access> const next = take_next(self.run_, here);
        if (next.instruction == nullptr) [[unlikely]]
            return self.run_.cores.run(here).task_ended();
        if constexpr (GatedAccess<Access>) self.run_.access.begins(here);
        self.probe_ = probe_for(next.instruction->key, *next.instruction);
        self.order_ = TravellingOrder(*next.instruction);
        task.body = MethodBodies<OpenTravelTask>::of(next.instruction->operation);
        if constexpr (!only_owner_knows_lines) task.touches = announce(worker, self.run_, next);
        worker.append(task, self.run_.cores.core(next.owner));
    }

    // At the key's owner. Where only that one knows what will be touched: asks for it and goes to the queue's end. All
    // operations do, so that they keep their order.
    template <Operation method> static void arrive(Worker& worker, Task& task) {
        auto& self = static_cast<OpenTravelTask&>(task);
        if constexpr (GatedAccess<Access>)
            if (self.run_.access.keeps_operation(worker.place(), task)) return;
        task.body = &operate<method>;
        if (!only_owner_knows_lines || worker.prefetch_distance() == 0) return operate<method>(worker, task);
        self.run_.access.region(worker.place()).prefetch(self.probe_.key());
        worker.append(task);
    }

    template <Operation method> [[gnu::flatten]] static void operate(Worker& worker, Task& task) {
        using Visit = typename Access::Visit;
        auto& self = static_cast<OpenTravelTask&>(task);
        Access& access = self.run_.access;
        std::size_t const here = worker.place();
        Visit const visit = access.template visit<method>(here, self.probe_, self.order_);
        if constexpr (requires { access.work(worker, here); }) access.work(worker, here);
        // At home, the next instruction comes in sequence; at the next core, a region's first slots, which seldom
        // happens and where a search goes on in sequence.
        task.touches = {};
        if (visit == Visit::MovesOn) [[unlikely]] {
            self.run_.cores.run(here).count_travelled();
            return worker.append(task, self.run_.cores.core(access.next(here)));
        }
        if (visit == Visit::Wrong) [[unlikely]]
            self.run_.cores.run(here).count_wrong();
        if constexpr (GatedAccess<Access>) access.ended(here);
        task.body = &initial;
        worker.append(task, task.home);
    }

    TravellingOrder order_; // in front: fits behind the task's home
    Run const& run_;
    TravellingProbe probe_;
};

// Two slots for each key, which then need no rehash: the thesis'.
constexpr TableLayout open_travel_layout{
    .name = "open", .bytes_per_bucket = sizeof(ProbedRegion::Slot), .default_buckets = 2, .rank = 2};

} // namespace mxk::bench
