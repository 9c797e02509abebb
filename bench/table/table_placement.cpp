#include "bench/table/table_placement.hpp"

#include "base/format.hpp"
#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

constexpr std::string_view owners = "owners";
constexpr std::string_view interleaved = "interleaved";
constexpr std::string_view node_prefix = "node:";

} // namespace

NodeId TablePlacement::node_of(std::size_t at, NodeId owner, std::size_t nodes) const {
    switch (kind) {
    case Kind::Owners: break;
    case Kind::Node: return node_id(node);
    case Kind::Interleaved: return node_id(at % nodes);
    }
    return owner;
}

Result<void> parse_value(std::string_view text, TablePlacement& placement) {
    using enum TablePlacement::Kind;
    if (text == owners || text == interleaved) {
        placement = {.kind = text == owners ? Owners : Interleaved};
        return {};
    }
    if (text.starts_with(node_prefix)) {
        if (auto const node = console::parse_count(text.substr(node_prefix.size()), 0, 65535)) {
            placement = {.kind = Node, .node = static_cast<std::uint32_t>(node.value())};
            return {};
        }
    }
    return Error::of("expected owners, node:N, such as node:1, or interleaved, got '{}'", text);
}

void print_value(TextSink& out, TablePlacement const& placement) {
    if (placement.kind == TablePlacement::Kind::Node) return format(out, "{}{}", node_prefix, placement.node);
    out.write(placement.kind == TablePlacement::Kind::Owners ? owners : interleaved);
}

void describe_value(TextSink& out, TablePlacement const&) {
    out.write("owners|node:N|interleaved");
}

void complete_value(console::Candidates& candidates, TablePlacement const&) {
    for (std::string_view const value : {owners, node_prefix, interleaved}) candidates.offer(value);
}

Result<void> check(TablePlacement const& placement, std::size_t nodes) {
    if (placement.kind != TablePlacement::Kind::Node || placement.node < nodes) return {};
    return Error::of("--memory node:N: expected N below {}, the number of nodes, got {}", nodes, placement.node);
}

} // namespace mxk::bench
