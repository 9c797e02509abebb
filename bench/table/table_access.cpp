#include "bench/table/table_access.hpp"

#include <utility>

namespace mxk::bench {

Result<InstructionNodes> InstructionNodes::create(EngineSetup const& setup) {
    std::size_t const cores = setup.owners.size();
    InstructionNodes result;
    NodeId const here = setup.owners.front().node;
    result.nodes_ = MXK_TRY(NodeVector<NodeArray<ChainNode>>::create(cores, here));
    result.nodes_of_ = MXK_TRY(NodeVector<ChainNode*>::create(cores, here));
    bool const together = setup.queue.is_one_array();
    std::size_t in_front = 0; // instructions of other cores' slices, packed
    for (std::size_t i = 0; i < cores; ++i) {
        std::size_t const source = setup.queue.source(i).size();
        std::size_t const size = together ? setup.queue.operations() : source;
        // Zeroed so that no insert is the first to touch a page.
        if (!together || i == 0)
            result.nodes_.emplace(MXK_TRY(NodeArray<ChainNode>::create_zeroed(size, setup.queue.node(i))));
        result.nodes_of_.emplace(result.nodes_[together ? 0 : i].data() + in_front);
        if (setup.queue.is_packed()) in_front += source;
    }
    return result;
}

Result<OwnersNodes> OwnersNodes::create(EngineSetup const& setup) {
    std::size_t const cores = setup.owners.size();
    InstructionQueue const& queue = setup.queue;
    ModuloCut const cut = MXK_TRY(setup.run.cut(cores));
    OwnersNodes result;
    NodeId const here = setup.owners.front().node;
    auto counts = MXK_TRY(NodeArray<std::size_t>::create_zeroed(cores, here));
    for (std::size_t i = 0; i < cores; ++i)
        for (std::size_t at = 0; at < queue.slice(i).size(); ++at) ++counts[cut.owner(queue.slice(i).key(at))];
    result.nodes_ = MXK_TRY(NodeVector<NodeArray<ChainNode>>::create(cores, here));
    for (std::size_t i = 0; i < cores; ++i) // zeroed as above
        result.nodes_.emplace(
            MXK_TRY(NodeArray<ChainNode>::create_zeroed(std::exchange(counts[i], 0), setup.owners[i].node)));
    result.places_ = MXK_TRY(NodeVector<NodeArray<ChainNode*>>::create(cores, here));
    result.nodes_of_ = MXK_TRY(NodeVector<ChainNode* const*>::create(cores, here));
    bool const together = queue.is_one_array();
    std::size_t in_front = 0; // instructions of other cores' slices, in one array
    for (std::size_t i = 0; i < cores; ++i) {
        Slice const& slice = queue.slice(i);
        if (!together || i == 0)
            result.places_.emplace(
                MXK_TRY(NodeArray<ChainNode*>::create(together ? queue.operations() : slice.size(), queue.node(i))));
        std::span<ChainNode*> const places = result.places_[together ? 0 : i].span();
        for (std::size_t at = 0; at < slice.size(); ++at) {
            std::size_t const owner = cut.owner(slice.key(at));
            places[in_front + at] = &result.nodes_[owner][counts[owner]++];
        }
        result.nodes_of_.emplace(places.data() + (queue.is_packed() ? in_front : 0));
        if (together) in_front += slice.size();
    }
    return result;
}

Result<BucketedAccess> BucketedAccess::create(EngineSetup const& setup) {
    return BucketedAccess(setup, MXK_TRY(count_buckets(setup.run, setup.owners.size())));
}

Result<void> BucketedAccess::reset() {
    MXK_TRY(make_table());
    for (std::size_t i = 0; i < table().region_count(); ++i) MXK_TRY(region(i).reserve(keys_per_region_));
    return {};
}

} // namespace mxk::bench
