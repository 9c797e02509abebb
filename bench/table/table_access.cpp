#include "bench/table/table_access.hpp"

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

Result<ChainedAccess> ChainedAccess::create(EngineSetup const& setup) {
    std::size_t const buckets = MXK_TRY(buckets_for(setup));
    return ChainedAccess(setup, buckets, MXK_TRY(InstructionNodes::create(setup)));
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
