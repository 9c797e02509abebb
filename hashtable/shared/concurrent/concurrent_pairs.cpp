#include "hashtable/shared/concurrent/concurrent_pairs.hpp"

#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/workers.hpp"

namespace mxk {

Result<ConcurrentPairs::Parts> ConcurrentPairs::make(concurrent::TableShape const& shape, std::span<NodeId const> nodes,
                                                     std::span<Owner const> owners, std::size_t pairs) {
    auto depots = MXK_TRY(PerCore<concurrent::PairDepot>::with_room(memory::node_count(), nodes.front()));
    for (std::size_t at = 0; at < memory::node_count(); ++at) {
        auto const added = depots.add(node_id(at), at == 0 ? nullptr : &depots[0]);
        if (!added) return added.error();
    }
    auto retired = MXK_TRY(NodeObject<concurrent::RetiredPairs>::create(nodes.front()));
    auto supplies = MXK_TRY(PerCore<concurrent::PairSupply>::with_room(workers::count(), nodes.front()));
    for (std::size_t at = 0; at < workers::count(); ++at) {
        NodeId node = workers::of(core_id(at)).node();
        for (Owner const& owner : owners)
            if (owner.core == core_id(at)) node = owner.node;
        auto const added = supplies.add(node, node, depots[index(node)], *retired);
        if (!added) return added.error();
    }
    for (Owner const& owner : owners) MXK_TRY(supplies[owner.core].reserve(pairs));
    return Parts{MXK_TRY(Chains::make(shape, nodes)), std::move(depots), std::move(retired), std::move(supplies)};
}

ConcurrentPairs::~ConcurrentPairs() {
    chains_.settle();
    for (concurrent::PairSupply const& supply : supplies_)
        while (supply.is_waited_for()) rcu::synchronize();
    while (retired_->is_waited_for()) rcu::synchronize();
}

std::size_t ConcurrentPairs::bytes() const {
    std::size_t sum = chains_.bytes();
    for (concurrent::PairSupply const& supply : supplies_) sum += supply.bytes();
    return sum;
}

} // namespace mxk
