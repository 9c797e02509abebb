#include "bench/rcu/doubling_tables.hpp"

#include <algorithm>

#include "kernel/memory/node_vector.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

Result<ConcurrentPairs::Parts> DoublingChains::make(std::span<Owner const> owners, std::size_t keys, double load) {
    auto nodes = MXK_TRY(NodeVector<NodeId>::create(owners.size(), owners.front().node));
    for (Owner const& owner : owners)
        if (std::find(nodes.begin(), nodes.end(), owner.node) == nodes.end()) nodes.emplace(owner.node);
    concurrent::TableShape const shape{.first_heads = static_cast<std::size_t>(static_cast<double>(keys) / load),
                                       .max_load = max_load};
    return ConcurrentPairs::make(shape, nodes.span(), owners, keys / owners.size() + 1);
}

bool DoublingChains::insert(std::uint64_t key, std::uint64_t value) {
    return table_.insert(key, value) == Insert::Inserted;
}

Result<void> DoublingChains::double_now(Progress& /*progress*/) {
    return table_.reserve(static_cast<std::size_t>(2 * max_load * static_cast<double>(buckets())));
}

Result<DoublingLines::Table> DoublingLines::make(std::span<Owner const> owners, std::size_t keys, double load) {
    MXK_TRY(rcu::barrier()); // what an earlier table has grown out of comes back
    // It is told of more keys, or fewer, than there will be.
    auto const told = static_cast<double>(keys) * default_load / load;
    return Table::create({.keys = static_cast<std::size_t>(told)}, owners);
}

bool DoublingLines::insert(std::uint64_t key, std::uint64_t value) {
    return table_.insert(key, value) == Insert::Inserted;
}

Result<void> DoublingLines::double_now(Progress& progress) {
    if (!table_.begin_growing()) return Error::of("out of memory: {} more buckets of 64 bytes", 2 * buckets());
    wait_until([&] { return !table_.is_resizing() || progress.interrupted(); });
    return progress.check();
}

} // namespace mxk::bench
