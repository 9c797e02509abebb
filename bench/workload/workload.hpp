// What a run does to a table, ours or a peer's: the same workload gives the same instructions, in the same order. And
// the options that say so, for all benchmarks of tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "bench/workload/distribution.hpp"
#include "bench/workload/keys.hpp"
#include "bench/workload/phases.hpp"
#include "bench/workload/ycsb.hpp"
#include "kernel/console/options.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// Where the instructions lie, and from where a core takes them (thesis section 4.3).
enum class QueueKind : std::uint8_t {
    Shared,    // one array on the console's node, from whose head all cores take
    PerCore,   // a slice for each core, all on the console's node
    NodeLocal, // a slice for each core, on its own node
    Owner      // the same of the keys that the core itself owns (thesis sections 3.2.1, 4.1 and 4.2)
};
constexpr auto value_names(QueueKind) {
    return std::array{
        console::NamedValue{QueueKind::Shared, "shared"}, console::NamedValue{QueueKind::PerCore, "per-core"},
        console::NamedValue{QueueKind::NodeLocal, "node-local"}, console::NamedValue{QueueKind::Owner, "owner"}};
}

// How slices for each core lie in memory: each from a line's start on, or one behind the other wherever that is, with
// what each core has taken side by side, too, so that cores share lines (what the thesis suspects in section 4.3).
enum class SliceKind : std::uint8_t { Lines, Packed };
constexpr auto value_names(SliceKind) {
    return std::array{console::NamedValue{SliceKind::Lines, "lines"}, console::NamedValue{SliceKind::Packed, "packed"}};
}

class TraceReplay; // bench/trace/trace_replay.hpp

struct Workload {
    static constexpr std::uint64_t max_operations = 4'000'000'000;

    std::uint64_t operations = 24'000'000;
    Phases mix;
    std::optional<Ycsb> ycsb; // then `mix` is its
    Keys keys;
    Distribution distribution;
    std::optional<QueueKind> queue; // none: the benchmark's own choice
    SliceKind slices = SliceKind::Lines;
    std::uint64_t seed = 1;
    // A recorded workload, instead of all that: a file, or on the bare machine a module. It says how many operations
    // there are, and which, once read_trace() has read it.
    std::optional<std::string_view> trace;
    TraceReplay const* replay = nullptr;

    // The highest version of a value (instructions.hpp) that operations may write.
    [[nodiscard]] std::uint64_t max_version() const;
};

namespace workload_option {
constexpr auto operations =
    console::option<&Workload::operations>("ops", "operations per run", console::between(1, Workload::max_operations));
constexpr auto mix = console::option<&Workload::mix>("mix", "phases insert,find,erase on one table, a row each");
constexpr auto ycsb = console::option<&Workload::ycsb>("workload", "of YCSB, in place of --mix: loads, then runs");
constexpr auto keys = console::option<&Workload::keys>("keys", "which numbers the keys are");
constexpr auto distribution = console::option<&Workload::distribution>("dist", "how often which key is used");
constexpr auto queue = console::option<&Workload::queue>(
    "queue", "where instructions lie, and which cores take them (none given: node-local; thesis: shared)");
constexpr auto slices = console::option<&Workload::slices>(
    "slices", "each on cache lines of its own, or one behind the other (--queue per-core)");
constexpr auto trace = console::option<&Workload::trace>("trace", "a recorded workload: a file, or the loader's module",
                                                         console::file_name);
constexpr auto seed = console::option<&Workload::seed>("seed", "of the keys and of their order");
} // namespace workload_option

// Whether results depend on which core takes which instruction: then all cores may not take from one queue.
bool depends_on_order(Workload const& workload);

// The queue where nothing is said of it: `otherwise`, but for slices that are packed, which lie on one node.
inline QueueKind queue_or(Workload const& workload, QueueKind otherwise) {
    return workload.queue.value_or(workload.slices == SliceKind::Packed ? QueueKind::PerCore : otherwise);
}

// What a workload of YCSB says of the others: its phases, and its distribution unless another one was given. Errors:
// other phases were given.
Result<void> complete_ycsb(Workload& workload);

// Errors: something that a trace says itself was given besides it; a stride with which there are not so many keys;
// packed slices of a queue that has none on one node; a phase whose results depend on an order that its queue does not
// keep.
Result<void> check(Workload const& workload);

// The keys of `--keys file:PATH`: one on each line, decimal or with 0x in front. Reads as many keys as there are
// operations, into memory of `node`, and tells the workload, whose they are as long as what is returned lives; nothing
// where the workload's keys come from elsewhere. Errors: no such file, or too few keys in it; a line that is no key, 0,
// or that was there before; no memory. The console's task, which waits for the file system.
Result<NodeArray<std::uint64_t>> read_keys(Workload& workload, NodeId node);

// The trace of `--trace NAME`, and what its operations must come to, in memory of `node`; tells the workload, whose it
// is as long as what is returned lives, which may be moved. Nothing where there is no trace. Errors: no such file, or
// what is wrong in it; no memory. The console's task, which waits for the file system.
Result<NodeVector<TraceReplay>> read_trace(Workload& workload, NodeId node);

} // namespace mxk::bench
