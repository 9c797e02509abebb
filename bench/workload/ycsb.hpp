// The workloads of YCSB (Cooper et al., Benchmarking cloud serving systems with YCSB, SoCC 2010), option --workload: a
// phase `load` that inserts records, and a phase `run` that reads and writes them in these shares. Option --dist says
// which records; without it those that YCSB chooses.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/workload/distribution.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::bench {

struct Ycsb {
    // In percent of the phase `run`, together 100. A modify is a read-modify-write.
    struct Shares {
        std::uint32_t finds;
        std::uint32_t updates;
        std::uint32_t inserts;
        std::uint32_t modifies;
    };

    char letter = 'a';

    [[nodiscard]] Shares shares() const;
    // Some values are overwritten.
    [[nodiscard]] bool overwrites() const { return shares().updates + shares().modifies != 0; }
    // Records that are inserted in the phase `run`, of `operations` of all: that many fewer are loaded.
    [[nodiscard]] std::uint64_t inserts(std::uint64_t operations) const {
        return operations / 100 * shares().inserts + operations % 100 * shares().inserts / 100;
    }
    // YCSB's own.
    [[nodiscard]] Distribution distribution() const;
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Ycsb& workload);
void print_value(TextSink& out, Ycsb const& workload);
void describe_value(TextSink& out, Ycsb const& workload);
void complete_value(console::Candidates& candidates, Ycsb const& workload);

} // namespace mxk::bench
