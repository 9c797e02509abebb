// The partitions that one core owns (partitions.hpp), used as one table, and the tasks that let them grow: when a table
// has something to do, a task stands in the core's queue for it, which sees to one block each time; several, when there
// is much to do. While partitions are on their way here (repartition.hpp), operations on them are parked, and so is all
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
#include "hashtable/partition/partition.hpp"
#include "hashtable/table/extendible.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/task_list.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// Every function: the owning core, and never blocks but for an allocator's lock.
template <typename TableType> class alignas(cache_line_bytes) Share : WorkListener {
  public:
    using Table = TableType;
    using Key = typename Table::Key;
    using Item = typename Table::Item;
    using Hash = typename Table::HashType;

    // `partitions`: all of the table's, a power of two and more than one. `marks`: false, one for each core.
    Share(std::span<Partition<Table>> partitions, Hash const& hash, NodeArray<bool> marks)
        : WorkListener{&Share::note_work}
        , partitions_(partitions.data())
        , hash_(hash)
        , shift_(64 - static_cast<unsigned>(std::countr_zero(partitions.size())))
        , has_parked_(std::move(marks)) {}
    Share(Share const&) = delete;
    Share& operator=(Share const&) = delete;
    ~Share() { expect(is_settled(), "a table goes when nothing is left to be done to it"); }

    // As the table's, for keys of this core's partitions. A Spot is valid until moves() changes.
    using Spot = typename Table::Spot;
    [[nodiscard]] std::uint64_t moves() const { return WorkListener::moves; }
    [[nodiscard]] Spot spot(Key const& key) const { return table_of(key).spot(key); }
    static void prefetch(Spot const& spot) { Table::prefetch(spot); }
    void prefetch(Key const& key) const { prefetch(spot(key)); }
    static void prefetch_behind(Spot const& spot) requires requires { Table::prefetch_behind(spot); }
    { Table::prefetch_behind(spot); }

    Insert insert(Key const& key, Item item) { return insert(key, item, spot(key)); }
    [[gnu::always_inline]] Insert insert(Key const& key, Item item, Spot const& spot) {
        auto const done = Table::try_insert(key, item, spot);
        return done ? *done : table_of(key).insert_far(key, item);
    }
    [[nodiscard]] auto find(Key const& key) const { return find(key, spot(key)); }
    [[nodiscard]] static auto find(Key const& key, Spot const& spot) { return Table::find(key, spot); }
    bool erase(Key const& key) { return table_of(key).erase(key); }
    bool erase(Key const& key, Spot const& spot) { return table_of(key).erase(key, spot); }

    // Whether this core owns the key's partition. What arrives for another core's goes on to that one.
    [[nodiscard]] bool owns(Key const& key) const {
        return partition_of(key).owner.load(std::memory_order_relaxed) == this;
    }
    // All partitions have come. While that is not so, who arrives asks must_park().
    [[nodiscard]] bool is_complete() const { return !is_incomplete_; }
    // Whether operations from core `home` have to wait: one of their partitions is on its way, or others of that core
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

    // So many partitions will be adopted. Before anybody sends operations on them here.
    void await(std::size_t partitions) {
        awaited_ = partitions;
        is_incomplete_ = partitions != 0;
    }
    // This core owns the partition from now on, and its memory is to be on the core's node.
    void adopt(Worker& worker, Partition<Table>& partition) {
        own(partition);
        partition.table.move_to(worker.node());
        if (partition.table.has_work()) note_work(*this, &partition);
        if (--awaited_ != 0) return;
        is_incomplete_ = false;
        std::fill(has_parked_.span().begin(), has_parked_.span().end(), false);
        worker.prepend(parked_); // in front of what came behind them and is in the queue
    }
    // As adopt(), when a table is made; by any core.
    void own(Partition<Table>& partition) {
        partition.owner.store(this, std::memory_order_relaxed);
        partition.table.tell(*this, &partition);
        ++WorkListener::moves;
    }
    // The core that adopts it may have it from now on.
    void release(Partition<Table>& partition) {
        partition.owner.store(nullptr, std::memory_order_relaxed);
        if (std::exchange(partition.is_listed, false)) unlist(partition);
        ++WorkListener::moves;
    }

    // No table has work to do, or is being seen to.
    [[nodiscard]] bool is_settled() const { return growers_out_ == 0; }

  private:
    static constexpr std::size_t most_growers = 16;

    struct Grower : Task {
        Grower()
            : Task(&Share::grow) {}
        Share* share = nullptr; // while it is in the core's queue
    };

    [[nodiscard]] bool is_coming(Key const& key) const {
        // relaxed: nobody sends an operation here before it was written
        return !owns(key) && partition_of(key).coming_owner.load(std::memory_order_relaxed) == this;
    }
    [[nodiscard]] Partition<Table>& partition_of(Key const& key) const { return partitions_[hash_(key) >> shift_]; }
    [[nodiscard]] Table& table_of(Key const& key) const { return partition_of(key).table; }

    static void note_work(WorkListener& listener, void* context) {
        auto& self = static_cast<Share&>(listener);
        auto& partition = *static_cast<Partition<Table>*>(context);
        if (!std::exchange(partition.is_listed, true)) self.list(partition);
        if (self.growers_out_ == most_growers) return;
        for (Grower& grower : self.growers_) { // there is one, and this is seldom
            if (grower.share != nullptr) continue;
            grower.share = &self;
            ++self.growers_out_;
            return Worker::current().append(grower);
        }
    }

    static void grow(Worker& worker, Task& task) {
        auto& grower = static_cast<Grower&>(task);
        Share& self = *grower.share;
        if (Partition<Table>* const partition = self.first_; partition != nullptr) {
            self.first_ = partition->next;
            partition->table.work();
            partition->is_listed = partition->table.has_work();
            if (partition->is_listed) self.list(*partition);
        }
        if (self.first_ != nullptr) return worker.append(grower);
        grower.share = nullptr;
        --self.growers_out_;
    }

    void list(Partition<Table>& partition) {
        partition.next = nullptr;
        *(first_ == nullptr ? &first_ : &last_->next) = &partition;
        last_ = &partition;
    }
    void unlist(Partition<Table>& partition) {
        Partition<Table>* before = nullptr;
        for (Partition<Table>* at = first_; at != &partition; at = at->next) before = at;
        (before == nullptr ? first_ : before->next) = partition.next;
        if (last_ == &partition) last_ = before;
    }

    Partition<Table>* partitions_;
    [[no_unique_address]] Hash hash_;
    unsigned shift_;
    bool is_incomplete_ = false; // some partitions are on their way here
    std::size_t awaited_ = 0;    // partitions that are on their way here
    TaskList parked_;
    NodeArray<bool> has_parked_; // by the core that they came from
    OwnerChangeHook* hooks_ = nullptr;
    Partition<Table>* first_ = nullptr; // that have work to do
    Partition<Table>* last_ = nullptr;
    std::size_t growers_out_ = 0; // in the core's queue
    std::array<Grower, most_growers> growers_{};
};

} // namespace mxk
