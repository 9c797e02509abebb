// The engines of the thesis' open addressing, on which operations travel from region to region (section 3.3, Algorithm
// 3.6): by tasks, on a table of a fixed size or one whose regions grow, and by threads.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/frame/ready_memory.hpp"
#include "bench/frame/steps.hpp"
#include "bench/table/core_run.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "bench/table/travel_access.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/layout/growing_probed_region.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/shared/locked_probe.hpp"
#include "hashtable/table/region_work.hpp"
#include "hashtable/table/travelling_probe.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk::bench {
namespace {

// Of a fixed size: an insert without a place is wrong.
class OpenTravelAccess : public TravelAccess<ProbedRegion> {
  public:
    // Errors: no memory, fewer slots than cores.
    static Result<OpenTravelAccess> create(EngineSetup const& setup) {
        return OpenTravelAccess(setup, MXK_TRY(count_buckets(setup.run, setup.owners.size())));
    }
    Result<void> reset() { return make_table(); }

  private:
    using TravelAccess::TravelAccess;
};

// Regions grow (hashtable/layout/growing_probed_region.hpp), each by a task in its owner's queue.
class GrowingTravelAccess : public TravelAccess<GrowingProbedRegion> {
    using Work = RegionWork<GrowingProbedRegion>;

  public:
    static constexpr bool only_owner_knows_lines = true; // a region's arrays
    static Result<GrowingTravelAccess> create(EngineSetup const& setup) {
        std::size_t const min = GrowingProbedRegion::min_slots * setup.owners.size();
        return GrowingTravelAccess(setup, std::max<std::size_t>(*setup.run.initial_slots, min));
    }
    Result<void> reset() {
        work_ = {};
        touched_bytes_ = make_memory_ready(growth_bytes_ / owners_.size(), owners_);
        MXK_TRY(make_table());
        work_ = MXK_TRY(PerCore<Work>::with_room(owners_.size(), owners_.front().node));
        for (std::size_t at = 0; at < owners_.size(); ++at) {
            auto const added = work_.add(owners_[at].node, region(at));
            if (!added) return added.error();
        }
        return {};
    }

    void prefetch(std::uint64_t key) const { table().region(owner(key)).prefetch(key); }
    // Behind a visit; the owner.
    void work(Worker& worker, std::size_t at) {
        if (region(at).has_work()) [[unlikely]]
            work_[at].begin(worker);
    }
    Result<void> settle() const {
        for (std::size_t at = 0; at < owners_.size(); ++at)
            run_on_one(owners_[at].core, [&](Worker&) { return work_[at].is_queued() ? Step::Again : Step::Done; });
        return {};
    }

    // Slots.
    [[nodiscard]] std::size_t bucket_count() const {
        return work_.empty() ? TravelAccess::bucket_count()
                             : sum([](GrowingProbedRegion const& region) { return region.slot_count(); });
    }
    [[nodiscard]] std::size_t bytes() const {
        return TravelAccess::bytes() + sum([](GrowingProbedRegion const& region) { return region.bytes(); });
    }
    [[nodiscard]] std::size_t touched_bytes() const { return touched_bytes_; }

  private:
    GrowingTravelAccess(EngineSetup const& setup, std::size_t slots)
        : TravelAccess(setup, slots)
        , owners_(setup.table_owners)
        , growth_bytes_(growth_bytes(setup.run)) {}

    template <typename Value> [[nodiscard]] std::size_t sum(Value value) const {
        std::size_t total = 0;
        for (std::size_t at = 0; at < owners_.size(); ++at) total += value(table().region(at));
        return total;
    }

    std::span<Owner const> owners_;
    std::size_t growth_bytes_;
    std::size_t touched_bytes_ = 0;
    PerCore<Work> work_; // by place
};

constexpr EngineKind open_travel{
    .layout = open_travel_layout,
    .probe = Probe::Travel,
    .hash = Hashing::Modulo,
    .create = &EngineOwner::create<TaskEngine<OpenTravelAccess, OpenTravelTask<OpenTravelAccess>>>};
MXK_REGISTER(mxk_engines, EngineKind, open_travel);

constexpr EngineKind open_travel_growing{
    .layout = open_travel_layout,
    .probe = Probe::Travel,
    .hash = Hashing::Modulo,
    .growth = Growth::Always,
    .create = &EngineOwner::create<TaskEngine<GrowingTravelAccess, OpenTravelTask<GrowingTravelAccess>>>};
MXK_REGISTER(mxk_engines, EngineKind, open_travel_growing);

// As an engine uses it (table_access.hpp): a thread takes an operation all its way.
class LockedProbeAccess {
  public:
    struct Extra {};

    // Errors: fewer slots than cores.
    static Result<LockedProbeAccess> create(EngineSetup const& setup) {
        return LockedProbeAccess(setup, MXK_TRY(count_buckets(setup.run, setup.owners.size())));
    }
    // A new, empty table; the last one gives its memory back first.
    Result<void> reset() {
        table_ = {};
        table_ = MXK_TRY(NodeVector<LockedProbe>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(LockedProbe::create(slots_, owners_, threads_, kind_)));
        return {};
    }

    [[nodiscard]] std::size_t bucket_count() const { return slots_; }
    [[nodiscard]] std::size_t bytes() const { return slots_ * sizeof(ProbedRegion::Slot); }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table().regions().owner(key); }
    void prefetch(std::uint64_t key) const { table().regions().region(owner(key)).prefetch(key); }
    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }

    template <Operation operation> bool operate(std::size_t, std::uint64_t key, Extra, Order const& order) {
        TravellingProbe probe = probe_for(key, order);
        Probed const probed = table().travel(probe, [&](LockedProbe::Table& regions, std::size_t at) {
            return step_probe<operation>(regions, at, probe, order);
        });
        return is_right<operation>(probed, probe, order);
    }
    bool overwrite(std::size_t at, std::uint64_t key, Extra extra, Order const& order) {
        return operate<Operation::Update>(at, key, extra, order);
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const {
        TravellingProbe probe(key);
        return table().look_up(probe) ? std::optional(probe.value()) : std::nullopt;
    }
    [[nodiscard]] LockedProbe& table() const { return table_[0]; }

  private:
    LockedProbeAccess(EngineSetup const& setup, std::size_t slots)
        : owners_(setup.table_owners)
        , slots_(slots)
        , threads_(setup.owners.size() * setup.run.threads_each)
        , kind_(setup.run.semaphores) {}

    std::span<Owner const> owners_;
    std::size_t slots_;
    std::size_t threads_;
    SemaphoreKind kind_;
    NodeVector<LockedProbe> table_; // one, or none yet
};

constexpr EngineKind open_travel_threads{.model = Model::Threads,
                                         .layout = open_travel_layout,
                                         .probe = Probe::Travel,
                                         .hash = Hashing::Modulo,
                                         .create = &EngineOwner::create<ThreadEngine<LockedProbeAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, open_travel_threads);

} // namespace
} // namespace mxk::bench
