// Operations on tables with open addressing that travel from region to region (thesis section 3.3, Algorithm 3.6), as
// engines use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/table/table_access.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/table/travelling_probe.hpp"

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

// Two slots for each key, which then need no rehash: the thesis'.
constexpr TableLayout open_travel_layout{
    .name = "open", .bytes_per_bucket = sizeof(ProbedRegion::Slot), .default_buckets = 2, .rank = 2};

} // namespace mxk::bench
