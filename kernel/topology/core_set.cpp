#include "kernel/topology/core_set.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "kernel/console/option_value.hpp"
#include "kernel/topology/core_order.hpp"

namespace mxk::topology {
namespace {

using Kind = CoreSetRequest::Kind;

constexpr std::uint32_t max_cores = 65536;

struct Prefix {
    std::string_view text;
    Kind kind;
    bool needs_numbers;
};
constexpr Prefix prefixes[] = {{"cores", Kind::Ids, true},         {"node", Kind::Node, true},
                               {"spread", Kind::Spread, false},    {"up-to", Kind::UpTo, true},
                               {"pack", Kind::Pack, false},        {"physical", Kind::Physical, false},
                               {"siblings", Kind::Siblings, false}};

Error not_a_set(std::string_view text) {
    return Error::of(
        "expected counts such as 1,2,4, or a set such as 0-7, cores:4-7, node:1, spread:8, pack:8, physical "
        "or siblings, got '{}'",
        text);
}

struct IdRange {
    std::uint32_t first;
    std::uint32_t last;
};

// Takes "4" or "4-6" off `rest`, with the comma behind it.
Result<IdRange> take_range(std::string_view& rest) {
    std::string_view const text = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    std::size_t const dash = std::min(text.find('-'), text.size());
    auto const first = MXK_TRY(console::parse_count(text.substr(0, dash), 0, max_cores - 1));
    auto const last =
        dash == text.size() ? first : MXK_TRY(console::parse_count(text.substr(dash + 1), first, max_cores - 1));
    return IdRange{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

// Whether `text` is "0,2,4-6": one core or more.
bool lists_ids(std::string_view text) {
    if (text.empty() || text.ends_with(',')) return false;
    while (!text.empty()) {
        if (!take_range(text)) return false;
    }
    return true;
}

bool names_core_0(std::string_view text) {
    while (!text.empty()) {
        auto const range = take_range(text);
        if (range && range.value().first == 0) return true;
    }
    return false;
}

// "1,2,4" or, with core 0 among them, ids.
Result<CoreSetRequest> parse_numbers(std::string_view text) {
    auto const counts = console::parse_list(text, 1, max_cores);
    if (counts) return CoreSetRequest{Kind::Counts, counts.value(), text};
    if (lists_ids(text) && names_core_0(text)) return CoreSetRequest{Kind::Ids, {}, text};
    return not_a_set(text);
}

Result<CoreSetRequest> parse_request(std::string_view text) {
    std::size_t const colon = std::min(text.find(':'), text.size());
    for (Prefix const& prefix : prefixes) {
        if (text.substr(0, colon) != prefix.text) continue;
        if (colon == text.size()) {
            if (prefix.needs_numbers) return Error::of("expected a number behind '{}:'", prefix.text);
            return CoreSetRequest{prefix.kind, {}, text};
        }
        if (prefix.kind == Kind::Ids) {
            if (lists_ids(text.substr(colon + 1))) return CoreSetRequest{Kind::Ids, {}, text};
            return Error::of("expected ids of cores such as cores:0,2,4-7, got '{}'", text);
        }
        bool const counts = prefix.kind != Kind::Node;
        auto const numbers =
            MXK_TRY(console::parse_list(text.substr(colon + 1), counts ? 1 : 0, counts ? max_cores : max_cores - 1));
        return CoreSetRequest{prefix.kind, numbers, text};
    }
    if (colon != text.size()) return not_a_set(text);
    return parse_numbers(text);
}

// What resolving has found so far.
class Found {
  public:
    Found(Topology const& topology, NodeId home, NodeVector<CoreSet>& sets)
        : topology_(topology)
        , home_(home)
        , sets_(sets) {}

    Result<void> add(CoreSetRequest const& request) {
        switch (request.kind) {
        case Kind::Counts: {
            auto const all = MXK_TRY(by_id());
            return add_counts("", all.span(), request.numbers.values());
        }
        case Kind::Ids: return add_ids(request);
        case Kind::Node: return add_nodes(request.numbers.values());
        case Kind::Spread: return add_ordered("spread", MXK_TRY(spread_order(topology_, home_)).span(), request);
        case Kind::UpTo: return add_up_to(MXK_TRY(spread_order(topology_, home_)).span(), request.numbers.values());
        case Kind::Pack: return add_ordered("pack", MXK_TRY(pack_order(topology_, home_)).span(), request);
        case Kind::Physical: return add_ordered("physical", MXK_TRY(physical_order(topology_, home_)).span(), request);
        case Kind::Siblings: break;
        }
        return add_ordered("siblings", MXK_TRY(sibling_order(topology_, home_)).span(), request);
    }

    // The first 1, 2, 4 ... cores, and all.
    Result<void> add_default() {
        auto const all = MXK_TRY(by_id());
        for (std::size_t count = 1; count < all.size(); count *= 2) MXK_TRY(add_first("", all.span(), count));
        return add_first("", all.span(), all.size());
    }

  private:
    Result<NodeVector<CoreId>> by_id() const {
        auto ids = MXK_TRY(NodeVector<CoreId>::create(topology_.cores.size(), home_));
        for (Core const& core : topology_.cores) ids.emplace(core.id);
        return ids;
    }

    CoreSet& add_set(NodeVector<CoreId> cores) { return sets_.emplace(CoreSet{{}, std::move(cores)}); }

    // "spread:4" or, without a prefix, "4".
    Result<void> add_first(std::string_view prefix, std::span<CoreId const> order, std::size_t count) {
        if (count > order.size())
            return Error::of("{}{}expected up to {}, the cores of this machine{}, got {}", prefix,
                             prefix.empty() ? "" : ": ", order.size(), prefix.empty() ? "" : " that it can take",
                             count);
        auto cores = MXK_TRY(NodeVector<CoreId>::create(count, home_));
        for (CoreId const core : order.first(count)) cores.emplace(core);
        CoreSet& set = add_set(std::move(cores));
        format(set.label, "{}{}{}", prefix, prefix.empty() ? "" : ":", count);
        return {};
    }

    Result<void> add_counts(std::string_view prefix, std::span<CoreId const> order,
                            std::span<std::uint32_t const> counts) {
        for (std::uint32_t const count : counts) MXK_TRY(add_first(prefix, order, count));
        return {};
    }

    Result<void> add_ordered(std::string_view prefix, std::span<CoreId const> order, CoreSetRequest const& request) {
        if (request.numbers.empty()) return add_first(prefix, order, order.size());
        return add_counts(prefix, order, request.numbers.values());
    }

    Result<void> add_up_to(std::span<CoreId const> order, std::span<std::uint32_t const> counts) {
        for (std::uint32_t const count : counts)
            MXK_TRY(add_first("spread", order, std::min<std::size_t>(count, order.size())));
        return {};
    }

    Result<void> add_ids(CoreSetRequest const& request) {
        auto cores = MXK_TRY(NodeVector<CoreId>::create(topology_.cores.size(), home_));
        std::string_view rest = request.text.substr(request.text.find(':') + 1); // all of it where there is no prefix
        while (!rest.empty()) {
            IdRange const range = MXK_TRY(take_range(rest));
            for (std::size_t id = range.first; id <= range.last; ++id) {
                if (id >= topology_.cores.size())
                    return Error::of("expected cores 0 to {}, those of this machine, got {}",
                                     topology_.cores.size() - 1, id);
                if (std::find(cores.begin(), cores.end(), core_id(id)) != cores.end())
                    return Error::of("expected different cores, got {} twice", id);
                cores.emplace(core_id(id));
            }
        }
        add_set(std::move(cores)).label.append(request.text);
        return {};
    }

    Result<void> add_nodes(std::span<std::uint32_t const> nodes) {
        for (std::uint32_t const id : nodes) {
            if (id >= topology_.nodes.size())
                return Error::of("expected nodes 0 to {}, those of this machine, got {}", topology_.nodes.size() - 1,
                                 id);
            auto const of_node = topology_.nodes[id].cores;
            if (of_node.empty()) return Error::of("expected a node with cores, got {}, which has none", id);
            auto cores = MXK_TRY(NodeVector<CoreId>::create(of_node.size(), home_));
            for (CoreId const core : of_node) cores.emplace(core);
            format(add_set(std::move(cores)).label, "node:{}", id);
        }
        return {};
    }

    Topology const& topology_;
    NodeId home_;
    NodeVector<CoreSet>& sets_;
};

} // namespace

Result<void> parse_value(std::string_view text, CoreSets& sets) {
    sets = {};
    for (std::string_view rest = text;;) {
        std::string_view const part = rest.substr(0, rest.find('/'));
        if (!sets.add(MXK_TRY(parse_request(part))))
            return Error::of("expected up to {} sets with '/' between, got '{}'", CoreSets::capacity, text);
        if (part.size() == rest.size()) return {};
        rest.remove_prefix(part.size() + 1);
    }
}

void print_value(TextSink& out, CoreSets const& sets) {
    std::string_view separator;
    for (CoreSetRequest const& request : sets.requests()) {
        format(out, "{}{}", separator, request.text);
        separator = "/";
    }
}

void describe_value(TextSink& out, CoreSets const&) {
    out.write("COUNTS|SET/...");
}

void complete_value(console::Candidates& candidates, CoreSets const&) {
    for (Prefix const& prefix : prefixes) candidates.offer(prefix.text);
}

Result<NodeVector<CoreSet>> resolve(CoreSets const& sets, Topology const& topology, NodeId home) {
    constexpr std::size_t max_default = 40; // powers of two up to any number of cores
    std::size_t room = max_default;
    for (CoreSetRequest const& request : sets.requests())
        room += std::max<std::size_t>(request.numbers.values().size(), 1);
    auto result = MXK_TRY(NodeVector<CoreSet>::create(room, home));
    Found found(topology, home, result);
    if (sets.empty()) MXK_TRY(found.add_default());
    for (CoreSetRequest const& request : sets.requests()) MXK_TRY(found.add(request));
    return result;
}

} // namespace mxk::topology
