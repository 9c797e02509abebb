// The engines of open addressing: in blocks that become two when they are crowded, with tasks, batches and threads,
// each with two hashes; and the thesis' table, on which operations travel from region to region.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/table/batch_engine.hpp"
#include "bench/table/core_run.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/shared/locked_regions.hpp"
#include "hashtable/table/travelling_probe.hpp"

namespace mxk::bench {
namespace {

// The thesis' table with open addressing (section 3.3, Algorithm 3.6): an operation that reaches the end of a region
// sends its task on to the next core, the last one's is the first, until it knows its result; then the task goes home.
// The thesis' rehash is missing, so an insert without a place is wrong.
//
// As an engine uses it (table_access.hpp): an operation may come through several regions, so what a core does for it is
// a visit, and only the last one says whether the result is the expected one.
class OpenTravelAccess : public TableAccess<ProbedRegion> {
  public:
    struct Extra {};
    static constexpr double default_buckets = 2; // slots per operation: the thesis', which then needs no rehash

    // Errors: no memory, fewer slots than cores.
    static Result<OpenTravelAccess> create(EngineSetup const& setup);
    Result<void> reset() { return make_table(); }

    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }

    enum class Visit : std::uint8_t { Right, Wrong, MovesOn };

    // At region `at`: whether the result, and the value found, are the expected ones, or unknown yet. The owner only.
    template <Operation operation> Visit visit(std::size_t at, TravellingProbe& probe, bool expected) {
        Probed const probed = step<operation>(at, probe);
        if (probed == Probed::EndOfRegion) [[unlikely]]
            return Visit::MovesOn;
        // What an insert expects is that the key was not there.
        bool const expects_key = expected != (operation == Operation::Insert);
        bool is_right = probed == (expects_key ? Probed::There : Probed::NotThere);
        if (operation == Operation::Find && probed == Probed::There)
            is_right = is_right && probe.value() == value_of(probe.key());
        return is_right ? Visit::Right : Visit::Wrong;
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return TravellingProbe::next(table(), at); }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const;

  private:
    using TableAccess::TableAccess;

    template <Operation operation> Probed step(std::size_t at, TravellingProbe& probe) {
        if constexpr (operation == Operation::Insert)
            return probe.put(table(), at);
        else if constexpr (operation == Operation::Find)
            return probe.find(table(), at);
        else
            return probe.erase(table(), at);
    }
};

Result<OpenTravelAccess> OpenTravelAccess::create(EngineSetup const& setup) {
    return OpenTravelAccess(setup, MXK_TRY(count_buckets(setup.options, default_buckets, setup.owners.size())));
}

std::optional<std::uint64_t> OpenTravelAccess::value(std::uint64_t key) const {
    TravellingProbe probe(key);
    std::size_t at = owner(key);
    Probed probed = probe.find(table(), at);
    while (probed == Probed::EndOfRegion) probed = probe.find(table(), at = next(at));
    return probed == Probed::There ? std::optional(probe.value()) : std::nullopt;
}

// The two-phase task (two_phase.hpp) on it. One cache line.
class OpenTravelTask : public Task {
  public:
    using Run = TwoPhaseRun<OpenTravelAccess>;

    OpenTravelTask(Run const& run, CoreId home_core)
        : Task(&initial, home_core)
        , run_(run) {}

  private:
    // By value of Operation. Not by dispatch(): clang does not instantiate what only a generic lambda names.
    static Body body_for(Operation operation) {
        constexpr std::array<Body, 3> bodies{&operate<Operation::Insert>, &operate<Operation::Find>,
                                             &operate<Operation::Erase>};
        return bodies[static_cast<std::size_t>(operation)];
    }

    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<OpenTravelTask&>(task);
        std::size_t const here = worker.place();
        NextInstruction<OpenTravelAccess> const next = take_next(self.run_, here);
        if (next.instruction == nullptr) [[unlikely]]
            return self.run_.cores.run(here).task_ended();
        self.probe_ = TravellingProbe(next.instruction->key, value_of(next.instruction->key));
        self.expected_ = next.instruction->expected;
        task.body = body_for(next.instruction->operation);
        task.touches = announce(worker, self.run_, next);
        worker.append(task, self.run_.cores.core(next.owner));
    }

    template <Operation operation> static void operate(Worker& worker, Task& task) {
        using Visit = OpenTravelAccess::Visit;
        auto& self = static_cast<OpenTravelTask&>(task);
        OpenTravelAccess& access = self.run_.access;
        std::size_t const here = worker.place();
        Visit const visit = access.visit<operation>(here, self.probe_, self.expected_);
        // At home, the next instruction comes in sequence; at the next core, a region's first slots, which seldom
        // happens and where a search goes on in sequence.
        task.touches = {};
        if (visit == Visit::MovesOn) [[unlikely]]
            return worker.append(task, self.run_.cores.core(access.next(here)));
        if (visit == Visit::Wrong) [[unlikely]]
            self.run_.cores.run(here).count_wrong();
        task.body = &initial;
        worker.append(task, task.home);
    }

    bool expected_ = false; // in front: fits behind the task's home
    Run const& run_;
    TravellingProbe probe_;
};

using Mixed = PartitionsAccess<Extendible<OpenSlots<>>>;
using Modulo = PartitionsAccess<Extendible<OpenSlots<>, ModuloHash>>;

constexpr EngineKind open_tasks{
    .layout = Layout::Open, .growth = Growth::Either, .create = &EngineOwner::create<TaskEngine<Mixed>>};
MXK_REGISTER(mxk_engines, EngineKind, open_tasks);

constexpr EngineKind open_modulo_tasks{.layout = Layout::Open,
                                       .hash = Hashing::Modulo,
                                       .growth = Growth::Either,
                                       .create = &EngineOwner::create<TaskEngine<Modulo>>};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_tasks);

constexpr EngineKind open_batches{
    .layout = Layout::Open, .submit = Submit::Batch, .growth = Growth::Either, .create = &BatchEngine<Mixed>::create};
MXK_REGISTER(mxk_engines, EngineKind, open_batches);

constexpr EngineKind open_modulo_batches{.layout = Layout::Open,
                                         .submit = Submit::Batch,
                                         .hash = Hashing::Modulo,
                                         .growth = Growth::Either,
                                         .create = &BatchEngine<Modulo>::create};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_batches);

// As threads use it: a region for each core of the run, with a semaphore, that grows by itself.
template <typename Cells, typename Hash> class LockedRegionsAccess {
  public:
    using Regions = LockedRegions<Cells, Hash>;
    struct Extra {};

    static Result<LockedRegionsAccess> create(EngineSetup const& setup) { return LockedRegionsAccess(setup); }

    // A new, empty table; the last one gives its memory back first.
    Result<void> reset() {
        table_ = {};
        if (growth_bytes_ != 0) touched_bytes_ = make_memory_ready(growth_bytes_ / owners_.size(), owners_);
        table_ = MXK_TRY(NodeVector<Regions>::create(1, owners_.front().node));
        table_.emplace(MXK_TRY(Regions::create(size_, owners_, kind_, hash_for<Hash>(size_.slots))));
        return {};
    }

    // Slots.
    [[nodiscard]] std::size_t bucket_count() const { return table_.size() != 0 ? table().slot_count() : size_.slots; }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return table().region_of(key); }
    void prefetch(std::uint64_t key) const { table().prefetch(key); }
    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }

    template <Operation operation> bool operate(std::size_t, std::uint64_t key, Extra, Order const& order) {
        if constexpr (operation == Operation::Insert) {
            return table().insert(key, value_of(key)) == (order.expected ? Insert::Inserted : Insert::Present);
        } else if constexpr (operation == Operation::Find) {
            return table().find(key, [&](std::uint64_t const* value) {
                return value == nullptr ? !order.expected : order.expected && is_value_of(key, *value, order);
            });
        } else {
            return table().erase(key) == order.expected;
        }
    }
    [[gnu::noinline]] bool overwrite(std::size_t, std::uint64_t key, Extra, Order const& order) {
        return overwrite_in(table(), order, key);
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const { return value_at(table().lookup(key)); }
    [[nodiscard]] std::size_t bytes() const { return table().bytes(); }
    [[nodiscard]] std::size_t touched_bytes() const { return touched_bytes_; }
    [[nodiscard]] Regions& table() const { return table_[0]; }

  private:
    explicit LockedRegionsAccess(EngineSetup const& setup)
        : owners_(setup.table_owners)
        , size_(table_size<typename Regions::Table>(setup.options))
        , growth_bytes_(growth_bytes(setup.options))
        , kind_(semaphore_kind(setup.options)) {}

    std::span<Owner const> owners_;
    TableSize size_;
    std::size_t growth_bytes_;
    std::size_t touched_bytes_ = 0;
    SemaphoreKind kind_;
    NodeVector<Regions> table_; // one, or none yet
};

template <typename Hash> using Threads = ThreadEngine<LockedRegionsAccess<OpenSlots<>, Hash>>;

constexpr EngineKind open_threads{.model = Model::Threads,
                                  .layout = Layout::Open,
                                  .growth = Growth::Either,
                                  .create = &EngineOwner::create<Threads<MixedHash>>};
MXK_REGISTER(mxk_engines, EngineKind, open_threads);

constexpr EngineKind open_modulo_threads{.model = Model::Threads,
                                         .layout = Layout::Open,
                                         .hash = Hashing::Modulo,
                                         .growth = Growth::Either,
                                         .create = &EngineOwner::create<Threads<ModuloHash>>};
MXK_REGISTER(mxk_engines, EngineKind, open_modulo_threads);

constexpr EngineKind open_travel{.layout = Layout::Open,
                                 .probe = Probe::Travel,
                                 .hash = Hashing::Modulo,
                                 .create = &EngineOwner::create<TaskEngine<OpenTravelAccess, OpenTravelTask>>};
MXK_REGISTER(mxk_engines, EngineKind, open_travel);

} // namespace

} // namespace mxk::bench
