// On which nodes the parts of a table lie, option --memory of `bench table`: by default each on its owner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::bench {

struct TablePlacement {
    enum class Kind : std::uint8_t { Owners, Node, Interleaved };

    Kind kind = Kind::Owners;
    std::uint32_t node = 0; // of Kind::Node

    bool operator==(TablePlacement const&) const = default;

    // Where part `at` of a table lies whose owner is on `owner`, on a machine of so many nodes.
    [[nodiscard]] NodeId node_of(std::size_t at, NodeId owner, std::size_t nodes) const;
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, TablePlacement& placement);
void print_value(TextSink& out, TablePlacement const& placement);
void describe_value(TextSink& out, TablePlacement const& placement);
void complete_value(console::Candidates& candidates, TablePlacement const& placement);

// Errors: no such node. Any core.
Result<void> check(TablePlacement const& placement, std::size_t nodes);

} // namespace mxk::bench
