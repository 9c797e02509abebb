// What all ranks do for a run of `bench table`: make the keys and the table, run an operation on all keys, and take the
// table away.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernel/console/option_value.hpp"
#include "main/cluster/orders.hpp"
#include "tasks/remote/message.hpp"

namespace mxk::cluster {

// How operations come to the owners of their keys: together, in a task each; or nobody owns them (rma_table.hpp).
enum class Way : std::uint8_t { Batch, Task, Rma };
constexpr auto value_names(Way) {
    using console::NamedValue;
    return std::array{NamedValue{Way::Batch, "batch"}, NamedValue{Way::Task, "task"}, NamedValue{Way::Rma, "rma"}};
}

// Move: to another number of ranks, and back.
enum class Phase : std::uint8_t { Insert, Find, Move, Erase };
inline constexpr std::array<std::string_view, 4> phase_names{"insert", "find", "move", "erase"};

struct TableRun {
    std::uint64_t operations = 0; // of all cores together
    std::uint64_t seed = 0;
    std::uint64_t room = 0;  // keys that the table has room for from the start
    Rank ranks = 1;          // that take part
    Rank other_ranks = 1;    // to which the keys move, and back
    std::uint32_t tasks = 0; // of a core, under way at a time
    Way way = Way::Batch;
};

// What endpoints have done (remote::EndpointStatistics): of a rank, or of all.
struct Traffic {
    std::uint64_t requests = 0;
    std::uint64_t replies = 0;
    std::uint64_t operations = 0; // in requests to other ranks
    std::uint64_t bytes = 0;      // of payload, sent
    std::uint64_t waited = 0;     // requests that found no credit
    std::uint64_t cycles = 0;

    static Traffic of(remote::Network const& network);
    Traffic& operator+=(Traffic const& other);
    [[nodiscard]] Traffic since(Traffic const& before) const;
};

// Of one rank, of a phase.
struct PhaseResult {
    std::uint64_t start = 0; // time stamps; both 0: it did not take part
    std::uint64_t end = 0;
    std::uint64_t moved = 0;    // keys that it sent to other ranks: Move
    std::uint64_t right = 0;    // operations with the expected result
    std::uint64_t own_keys = 0; // that the rank has, then
    Traffic traffic{};
    ErrorText error{};
};

struct Ended {
    ErrorText error{};
};

Ended begin_table(Cluster& cluster, TableRun const& run);
PhaseResult run_phase(Cluster& cluster, Phase const& phase);
Ended end_table(Cluster& cluster, TableRun const& run);

inline constexpr Order begin_table_order = order<&begin_table>("bench table: begin");
inline constexpr Order phase_order = order<&run_phase>("bench table: phase");
inline constexpr Order end_table_order = order<&end_table>("bench table: end");

} // namespace mxk::cluster
