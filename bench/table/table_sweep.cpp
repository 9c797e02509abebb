#include "bench/table/table_sweep.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/measured_memory.hpp"
#include "bench/workload/instructions.hpp"
#include "kernel/console/values.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::bench {
namespace {

constexpr std::string_view automatic = "auto";

// Of all nodes together, as little as one has times their number: parts lie on all of them.
std::size_t free_bytes() {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        memory::NodeUse const use = memory::use(node_id(i));
        sum += use.total - use.used;
    }
    return sum;
}

Result<void> check_phases(Workload const& workload) {
    for (Mix const& mix : workload.mix.list())
        if (mix.kind != Mix::Kind::Find)
            return Error("--sweep: expected --mix find, whose instructions can be run again and again");
    return {};
}

} // namespace

Result<void> parse_value(std::string_view text, TableSweep& sweep) {
    if (text == automatic) {
        sweep = {};
        return {};
    }
    if (auto const bytes = console::parse_count(text, TableSizes::smallest, std::uint64_t{1} << 42)) {
        sweep.max_bytes = bytes.value();
        return {};
    }
    return Error::of("expected auto, or the bytes of the largest table, from 16Ki on, such as 64Mi, got '{}'", text);
}

void print_value(TextSink& out, TableSweep const& sweep) {
    if (sweep.max_bytes == 0) return out.write(automatic);
    console::print_count(out, sweep.max_bytes);
}

void describe_value(TextSink& out, TableSweep const&) {
    out.write("auto|BYTES");
}

void complete_value(console::Candidates& candidates, TableSweep const&) {
    candidates.offer(automatic);
}

Result<TableSizes> TableSizes::choose(Workload const& workload, std::optional<TableSweep> const& sweep,
                                      double bytes_per_key) {
    TableSizes sizes;
    sizes.wanted_ = workload.operations;
    if (!sweep) return sizes;
    MXK_TRY(check_phases(workload));
    sizes.bytes_per_key_ = bytes_per_key;
    std::size_t const max = sweep->max_bytes != 0 ? sweep->max_bytes : default_set_bytes();
    while (sizes.bytes(sizes.count_) <= max) ++sizes.count_;
    std::size_t const last = sizes.count_ - 1;
    std::uint64_t const operations = sizes.operations(last);
    if (operations > Workload::max_operations)
        return Error::of("--sweep: expected tables of up to {} operations, got one of {}", Workload::max_operations,
                         operations);
    std::size_t const together = sizes.bytes(last) + operations * (sizeof(Instruction) + 1);
    if (together > free_bytes())
        return Error::of("--sweep: expected a table for which there is memory, got {} with its instructions, of {} "
                         "that are free",
                         byte_text(together).view(), byte_text(free_bytes()).view());
    return sizes;
}

std::uint64_t TableSizes::operations(std::size_t at) const {
    if (!is_sweep()) return wanted_;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(bytes(at)) / bytes_per_key_));
}

std::uint32_t TableSizes::passes(std::size_t at) const {
    constexpr std::uint64_t max = 1'000'000;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted_ / operations(at), 1, max));
}

} // namespace mxk::bench
