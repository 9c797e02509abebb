#include "kernel/topology/running_order.hpp"

#include <algorithm>
#include <tuple>

#include "base/panic.hpp"

namespace mxk::topology {
namespace {

struct Candidate {
    std::size_t place;
    Core const* core;
    std::size_t sibling = 0; // how many threads of its physical core come before it
};

// Sets `sibling` of each; leaves them in the order of physical cores.
void count_siblings(std::span<Candidate> candidates) {
    std::sort(candidates.begin(), candidates.end(), [](Candidate const& a, Candidate const& b) {
        return std::tuple(a.core->levels.physical_core, a.core->apic_id) <
               std::tuple(b.core->levels.physical_core, b.core->apic_id);
    });
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        std::uint32_t const physical_core = candidates[i].core->levels.physical_core;
        bool const is_sibling =
            physical_core != unknown_domain && physical_core == candidates[i - 1].core->levels.physical_core;
        candidates[i].sibling = is_sibling ? candidates[i - 1].sibling + 1 : 0;
    }
}

bool comes_before(Candidate const& a, Candidate const& b) {
    auto const key = [](Candidate const& it) {
        return std::tuple(it.place != 0, it.sibling, it.core->node, it.core->levels.package, it.core->apic_id);
    };
    return key(a) < key(b);
}

} // namespace

Result<std::span<std::size_t const>> running_order(Topology const& topology, std::span<bool const> started,
                                                   Arena& arena) {
    expect(started.size() == topology.cores.size(), "running_order: one flag per core");
    expect(started[0], "running_order: the boot core runs");
    auto const count = static_cast<std::size_t>(std::count(started.begin(), started.end(), true));
    std::span<Candidate> const candidates = MXK_TRY(arena.array<Candidate>(count));
    std::span<std::size_t> const order = MXK_TRY(arena.array<std::size_t>(count));
    std::size_t next = 0;
    for (std::size_t i = 0; i < started.size(); ++i)
        if (started[i]) candidates[next++] = {i, &topology.cores[i]};
    count_siblings(candidates);
    std::sort(candidates.begin(), candidates.end(), comes_before);
    std::transform(candidates.begin(), candidates.end(), order.begin(), [](Candidate const& it) { return it.place; });
    return std::span<std::size_t const>(order);
}

} // namespace mxk::topology
