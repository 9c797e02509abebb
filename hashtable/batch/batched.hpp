// The receiving side of a table that is sent operations in batches (batch_client.hpp): one server for each region, on
// its owner's node. It adds nothing to the table: other tasks of the owner may use a region in between, and see whole
// operations.
//
//     auto table = Partitioned<Bucketed>::create(...);
//     auto batched = Batched<Partitioned<Bucketed>>::create(table.value());
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "hashtable/batch/batch_server.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/workers.hpp"

namespace mxk {

// Regions: Partitioned, or what has the same owner(key), core(region), region(at) and region_count(), of a BatchTable.
template <typename Regions> class Batched {
  public:
    using Table = std::remove_reference_t<decltype(std::declval<Regions&>().region(0))>;

    // Up to so many regions.
    static constexpr std::size_t max_regions = std::size_t{1} << 22;

    // `regions` must live longer, where it is; this must live as long as any client, but may be moved while it has
    // none. Errors: no memory, too many regions. May block for the allocator's lock.
    static Result<Batched> create(Regions& regions) {
        if (regions.region_count() > max_regions)
            return Error::of("batches go to up to {} regions, this table has {}", max_regions, regions.region_count());
        NodeId const here = workers::of(regions.core(0)).node();
        Batched result(regions, MXK_TRY(NodeVector<Owner>::create(regions.region_count(), here)));
        for (std::size_t i = 0; i < regions.region_count(); ++i) {
            CoreId const core = regions.core(i);
            auto server = MXK_TRY(NodeVector<BatchServer<Table>>::create(1, workers::of(core).node()));
            server.emplace(regions.region(i));
            result.owners_.emplace(core, std::move(server));
        }
        return result;
    }

    [[nodiscard]] std::size_t region_count() const { return owners_.size(); }
    [[nodiscard]] Regions const& regions() const { return *regions_; }

  private:
    template <typename ItsRegions, typename Completed, typename Cookie, typename Pace> friend class BatchClient;

    // Read by all, written by nobody.
    struct Owner {
        Owner(CoreId its_core, NodeVector<BatchServer<Table>> its_server)
            : core(its_core)
            , server(std::move(its_server)) {}
        CoreId core;
        NodeVector<BatchServer<Table>> server; // one
    };

    Batched(Regions& regions, NodeVector<Owner> owners)
        : regions_(&regions)
        , owners_(std::move(owners)) {}

    Regions* regions_;
    Task::Body arrival_ = BatchServer<Table>::arrival(); // of batches
    NodeVector<Owner> owners_;                           // by region
};

} // namespace mxk
