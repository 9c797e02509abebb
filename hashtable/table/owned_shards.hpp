// The shards that one core owns (sharded.hpp), used as one table, and the tasks that let them grow: when a table
// has something to do, a task stands in the core's queue for it, which sees to one block each time; several, when there
// is much to do. While shards are on their way here (resharding.hpp), operations on them are parked, and so is all
// that comes behind them from the same core.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/panic.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/partition/owner_change_hook.hpp"
#include "hashtable/table/extendible.hpp"
#include "hashtable/table/shard.hpp"
#include "hashtable/value_writes.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/timeline/slice.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// Every function: the owning core, and never blocks but for an allocator's lock.
template <typename TableType>
class alignas(cache_line_bytes) OwnedShards : WorkListener, public ValueWrites<OwnedShards<TableType>> {
  public:
    using Table = TableType;
    using Key = typename Table::Key;
    using Item = typename Table::Item;
    using Hash = typename Table::HashType;

    // `shards`: all of the table's, a power of two and more than one. `marks`: false, one for each core.
    OwnedShards(std::span<Shard<Table>> shards, Hash const& hash, NodeArray<bool> marks)
        : WorkListener{&OwnedShards::note_work}
        , shards_(shards.data())
        , hash_(hash)
        , shift_(64 - static_cast<unsigned>(std::countr_zero(shards.size())))
        , has_parked_(std::move(marks)) {}
    OwnedShards(OwnedShards const&) = delete;
    OwnedShards& operator=(OwnedShards const&) = delete;
    ~OwnedShards() { expect(is_settled(), "a table goes when nothing is left to be done to it"); }

    // As the table's, for keys of this core's shards. A Position is valid until moves() changes.
    using Position = typename Table::Position;
    [[nodiscard]] std::uint64_t moves() const { return WorkListener::moves; }
    [[nodiscard]] Position position(Key const& key) const { return table_of(key).position(key); }
    static void prefetch(Position const& at) { Table::prefetch(at); }
    void prefetch(Key const& key) const { prefetch(position(key)); }
    // See BehindTable (batch_positions.hpp), if the layout is such.
    static bool is_behind(Key const& key, Position const& at) requires BehindCells<typename Table::Layout> {
        return Table::is_behind(key, at);
    }
    static void prefetch_behind(Key const& key, Position const& at) requires BehindCells<typename Table::Layout> {
        Table::prefetch_behind(key, at);
    }
    static void const* first_line(Position const& at) { return at.cell; }
    // How often that may have ceased to be so, besides moves().
    [[nodiscard]] std::uint64_t displacements() const { return displacements_; }

    // Inline: GCC makes a call of what has several callers, and an operation that overwrites is one.
    [[gnu::always_inline]] Insert insert(Key const& key, Item item) { return insert(key, item, position(key)); }
    [[gnu::always_inline]] Insert insert(Key const& key, Item item, Position const& at) {
        auto const done = Table::try_insert(key, item, at);
        return done ? *done : insert_far(key, item);
    }
    [[gnu::always_inline]] [[nodiscard]] auto find(Key const& key) const { return find(key, position(key)); }
    [[gnu::always_inline]] [[nodiscard]] static auto find(Key const& key, Position const& at) {
        return Table::find(key, at);
    }
    bool erase(Key const& key) { return table_of(key).erase(key); }
    bool erase(Key const& key, Position const& at) { return table_of(key).erase(key, at); }

    // Whether this core owns the key's shard. What arrives for another core's goes on to that one.
    [[nodiscard]] bool owns(Key const& key) const {
        return shard_of(key).owner.load(std::memory_order_relaxed) == this;
    }
    // All shards have come. While that is not so, operations that arrive ask must_park().
    [[nodiscard]] bool is_complete() const { return !is_incomplete_; }
    // Whether operations from core `home` have to wait: one of their shards is on its way, or others of that core
    // wait already. Then park() takes the task, and its body is called again when everything has come.
    [[nodiscard]] bool must_park(CoreId home, std::span<Key const> keys) const {
        return has_parked_[index(home)] ||
               std::any_of(keys.begin(), keys.end(), [this](Key const& key) { return is_coming(key); });
    }
    void park(Task& task, CoreId home) {
        has_parked_[index(home)] = true;
        parked_.append(task);
    }

    void before_change(OwnerChangeHook& hook) {
        hook.next = hooks_;
        hooks_ = &hook;
    }
    void finish_before_change(Worker& worker) {
        for (OwnerChangeHook* hook = hooks_; hook != nullptr; hook = hook->next) hook->before_change(*hook, worker);
    }

    // So many shards will be adopted. Before anybody sends operations on them here.
    void await(std::size_t shards) {
        awaited_ = shards;
        is_incomplete_ = shards != 0;
    }
    // This core owns the shard from now on, and its memory is to be on the core's node.
    void adopt(Worker& worker, Shard<Table>& shard) {
        own(shard);
        note_instant(worker, EventKind::OwnerChange, &shard);
        shard.table.move_to(worker.node());
        if (shard.table.has_work()) note_work(*this, &shard);
        if (--awaited_ != 0) return;
        is_incomplete_ = false;
        std::fill(has_parked_.span().begin(), has_parked_.span().end(), false);
        worker.prepend(parked_); // in front of what came behind them and is in the queue
    }
    // As adopt(), when a table is made; by any core.
    void own(Shard<Table>& shard) {
        shard.owner.store(this, std::memory_order_relaxed);
        shard.table.tell(*this, &shard);
        ++WorkListener::moves;
    }
    // The core that adopts it may have it from now on.
    void release(Shard<Table>& shard) {
        shard.owner.store(nullptr, std::memory_order_relaxed);
        if (std::exchange(shard.is_listed, false)) unlist(shard);
        ++WorkListener::moves;
    }

    // No table has work to do, or is being seen to.
    [[nodiscard]] bool is_settled() const { return growers_out_ == 0; }

  private:
    static constexpr std::size_t max_growers = 16;

    struct Grower : Task {
        Grower()
            : Task(&OwnedShards::grow) {}
        OwnedShards* owner = nullptr; // while it is in the core's queue
    };

    [[nodiscard]] bool is_coming(Key const& key) const {
        // relaxed: nobody sends an operation here before it was written
        return !owns(key) && shard_of(key).coming_owner.load(std::memory_order_relaxed) == this;
    }
    [[nodiscard]] Shard<Table>& shard_of(Key const& key) const { return shards_[hash_(key) >> shift_]; }
    [[nodiscard]] Table& table_of(Key const& key) const { return shard_of(key).table; }

    [[gnu::noinline]] Insert insert_far(Key const& key, Item item) {
        if constexpr (requires { Table::Layout::displaces; }) ++displacements_;
        return table_of(key).insert_far(key, item);
    }

    static void note_work(WorkListener& listener, void* context) {
        auto& self = static_cast<OwnedShards&>(listener);
        auto& shard = *static_cast<Shard<Table>*>(context);
        if (!std::exchange(shard.is_listed, true)) self.list(shard);
        if (self.growers_out_ == max_growers) return;
        for (Grower& grower : self.growers_) { // one is free, and this is rare
            if (grower.owner != nullptr) continue;
            grower.owner = &self;
            ++self.growers_out_;
            return Worker::current().append(grower);
        }
    }

    static void grow(Worker& worker, Task& task) {
        auto& grower = static_cast<Grower&>(task);
        OwnedShards& self = *grower.owner;
        if (Shard<Table>* const shard = self.first_; shard != nullptr) {
            self.first_ = shard->next;
            {
                TimelineSlice const slice(worker, EventKind::GrowthStep, &shard->table);
                shard->table.work();
            }
            shard->is_listed = shard->table.has_work();
            if (shard->is_listed) self.list(*shard);
        }
        if (self.first_ != nullptr) return worker.append(grower);
        grower.owner = nullptr;
        --self.growers_out_;
    }

    void list(Shard<Table>& shard) {
        shard.next = nullptr;
        *(first_ == nullptr ? &first_ : &last_->next) = &shard;
        last_ = &shard;
    }
    void unlist(Shard<Table>& shard) {
        Shard<Table>* before = nullptr;
        for (Shard<Table>* at = first_; at != &shard; at = at->next) before = at;
        (before == nullptr ? first_ : before->next) = shard.next;
        if (last_ == &shard) last_ = before;
    }

    Shard<Table>* shards_;
    [[no_unique_address]] Hash hash_;
    unsigned shift_;
    bool is_incomplete_ = false; // some shards are on their way here
    std::uint64_t displacements_ = 0;
    std::size_t awaited_ = 0; // shards that are on their way here
    TaskList parked_;
    NodeArray<bool> has_parked_; // by the core that they came from
    OwnerChangeHook* hooks_ = nullptr;
    Shard<Table>* first_ = nullptr; // that have work to do
    Shard<Table>* last_ = nullptr;
    std::size_t growers_out_ = 0; // in the core's queue
    std::array<Grower, max_growers> growers_{};
};

} // namespace mxk
