// What `bench table` can be told. The defaults are those of the thesis (section 4).
#pragma once

#include <array>
#include <cstdint>

#include "bench/phases.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

enum class Layout : std::uint8_t { Chained };
constexpr auto value_names(Layout) {
    return std::array{console::NamedValue{Layout::Chained, "chained"}};
}

struct TableOptions {
    Layout layout = Layout::Chained;
    console::CountList cores; // empty: powers of two, and all
    std::uint64_t operations = 24'000'000;
    std::uint32_t tasks_per_core = 100;
    double buckets = 0.1; // per operation
    Phases mix;
    std::uint32_t repeat = 1;
    std::uint64_t seed = 1;
    bool json = false;
};

constexpr auto table_schema = console::schema<TableOptions>(
    console::option<&TableOptions::layout>("layout", "the hash table"),
    console::option<&TableOptions::cores>("cores", "core counts, one result row each (none given: 1, 2, 4 ... all)",
                                          console::between(1, 65536)),
    console::option<&TableOptions::operations>("ops", "operations per run", console::between(1, 4'000'000'000)),
    console::option<&TableOptions::tasks_per_core>("tasks-per-core", "tasks under way for each core",
                                                   console::between(1, 1'000'000)),
    console::option<&TableOptions::buckets>("buckets", "buckets per operation", console::between(0.000001, 100)),
    console::option<&TableOptions::mix>("mix", "phases insert,find,erase on one table, a row each"),
    console::option<&TableOptions::repeat>("repeat", "runs per row; the median is reported", console::between(1, 1000)),
    console::option<&TableOptions::seed>("seed", "of the keys and of their order"),
    console::flag<&TableOptions::json>("json", "one JSON line per row at the end, for tools"));

} // namespace mxk::bench
