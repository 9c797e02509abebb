// The thesis' table with chaining as threads use it (table_access.hpp): its buckets lie on the nodes of the run's cores
// as in the task model, and every thread works on all of them.
#pragma once

#include "bench/table/table_access.hpp"
#include "hashtable/shared/shared_chains.hpp"

namespace mxk::bench {

// Locking: SemaphoreLock, or NoLock.
template <typename Locking> class SharedChainsAccess : public ChainsAccess<SharedChains<RegionModulo, Locking>> {
    using Base = ChainsAccess<SharedChains<RegionModulo, Locking>>;

  public:
    // Errors: no memory, fewer buckets than cores.
    static Result<SharedChainsAccess> create(EngineSetup const& setup) {
        std::size_t const buckets = MXK_TRY(Base::buckets_for(setup));
        return SharedChainsAccess(setup, buckets, MXK_TRY(InstructionNodes::create(setup)));
    }
    Result<void> renew() { return this->make_table(kind_); }

  private:
    SharedChainsAccess(EngineSetup const& setup, std::size_t buckets, InstructionNodes nodes)
        : Base(setup, buckets, std::move(nodes))
        , kind_(semaphore_kind(setup.options)) {}

    SemaphoreKind kind_;
};

} // namespace mxk::bench
