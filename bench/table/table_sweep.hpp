// `--sweep` of `bench table` and `bench peer`: a row for each size of the table, so that its throughput is seen in each
// cache and in memory. A small table is found through in some microseconds; so its finds are run again and again, and
// --ops says how many there are to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::bench {

// Up to which size; 0: to what `bench memory` takes as a set beyond all caches (bench/machine/measured_memory.hpp).
struct TableSweep {
    std::size_t max_bytes = 0;

    bool operator==(TableSweep const&) const = default;
};

// What kernel/console/options.hpp asks of an option's type. Errors: neither `auto` nor a number of bytes.
Result<void> parse_value(std::string_view text, TableSweep& sweep);
void print_value(TextSink& out, TableSweep const& sweep);
void describe_value(TextSink& out, TableSweep const& sweep);
void complete_value(console::Candidates& candidates, TableSweep const& sweep);

// The sizes of a run: powers of two, or, without --sweep, the one that --ops makes.
class TableSizes {
  public:
    static constexpr std::size_t smallest = 16 * KiB;

    // Errors: the phases are not finds alone; the largest size is smaller than the smallest one; the instructions
    // together with a table of that size do not fit into what memory is free.
    // `bytes_per_key`: of the table.
    static Result<TableSizes> choose(Workload const& workload, std::optional<TableSweep> const& sweep,
                                     double bytes_per_key);

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] bool is_sweep() const { return bytes_per_key_ != 0; }
    // What a table of the size at this place has, about: the row's own `table_bytes` says what it is.
    [[nodiscard]] std::size_t bytes(std::size_t at) const { return smallest << at; }
    // As --ops said.
    [[nodiscard]] std::uint64_t wanted() const { return wanted_; }
    // Keys, and instructions.
    [[nodiscard]] std::uint64_t operations(std::size_t at) const;
    // How often they are run, the last time to the end.
    [[nodiscard]] std::uint32_t passes(std::size_t at) const;

  private:
    std::size_t count_ = 1;
    std::uint64_t wanted_ = 0; // operations
    double bytes_per_key_ = 0; // 0: no sweep
};

} // namespace mxk::bench
