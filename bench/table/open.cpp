// The engines of open addressing in blocks that become two when they are crowded, with tasks, batches and threads, each
// with two hashes. Those of the thesis' table: open_travel.cpp.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/table/batch_engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/thread_engine.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/shared/locked_regions.hpp"

namespace mxk::bench {
namespace {

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

} // namespace

} // namespace mxk::bench
