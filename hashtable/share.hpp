// The partitions that one core owns (partitions.hpp), used as one table, and the tasks that let them grow: when a table
// has something to do, a task stands in the core's queue for it, which sees to one block each time; several, when there
// is much to do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/panic.hpp"
#include "hashtable/extendible.hpp"
#include "hashtable/insert.hpp"
#include "tasks/worker.hpp"

namespace mxk {

template <typename Table> struct alignas(cache_line_bytes) Partition {
    explicit Partition(Table its_table)
        : table(std::move(its_table)) {}
    Table table;
    Partition* next = nullptr; // of those that have work, while it is one of them
    bool is_listed = false;
};

// Every function: the owning core, and never blocks but for an allocator's lock.
template <typename TableType> class alignas(cache_line_bytes) Share : WorkListener {
  public:
    using Table = TableType;
    using Key = typename Table::Key;
    using Item = typename Table::Item;
    using Hash = typename Table::HashType;

    // `partitions`: all of the table's, a power of two.
    Share(std::span<Partition<Table>> partitions, Hash const& hash)
        : WorkListener{&Share::note_work}
        , partitions_(partitions.data())
        , hash_(hash)
        , shift_(64 - static_cast<unsigned>(std::countr_zero(partitions.size()))) {}
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
    Insert insert(Key const& key, Item item, Spot const& spot) {
        auto const done = Table::try_insert(key, item, spot);
        return done ? *done : table_of(key).insert_far(key, item);
    }
    [[nodiscard]] auto find(Key const& key) const { return find(key, spot(key)); }
    [[nodiscard]] static auto find(Key const& key, Spot const& spot) { return Table::find(key, spot); }
    bool erase(Key const& key) { return table_of(key).erase(key); }
    bool erase(Key const& key, Spot const& spot) { return table_of(key).erase(key, spot); }

    // This core owns the partition from now on.
    void adopt(Partition<Table>& partition) {
        partition.table.tell(*this, &partition);
        if (partition.table.has_work()) note_work(*this, &partition);
    }

    // No table has work to do, or is being seen to.
    [[nodiscard]] bool is_settled() const { return growers_out_ == 0; }

  private:
    static constexpr std::size_t most_growers = 16;

    struct Grower : Task {
        Grower()
            : Task(&Share::grow) {}
        Share* share = nullptr;
    };

    [[nodiscard]] Table& table_of(Key const& key) const { return partitions_[hash_(key) >> shift_].table; }

    static void note_work(WorkListener& listener, void* context) {
        auto& self = static_cast<Share&>(listener);
        auto& partition = *static_cast<Partition<Table>*>(context);
        if (!std::exchange(partition.is_listed, true)) self.append(partition);
        if (self.growers_out_ == most_growers) return;
        for (Grower& grower : self.growers_) { // there is one, and this is seldom
            if (std::exchange(grower.share, &self) != nullptr) continue;
            ++self.growers_out_;
            return Worker::current().append(grower);
        }
    }

    static void grow(Worker& worker, Task& task) {
        auto& grower = static_cast<Grower&>(task);
        Share& self = *grower.share;
        if (Partition<Table>* const partition = self.take()) {
            partition->table.work();
            partition->is_listed = partition->table.has_work();
            if (partition->is_listed) self.append(*partition);
        }
        if (self.first_ != nullptr) return worker.append(grower);
        grower.share = nullptr;
        --self.growers_out_;
    }

    void append(Partition<Table>& partition) {
        partition.next = nullptr;
        *(first_ == nullptr ? &first_ : &last_->next) = &partition;
        last_ = &partition;
    }
    Partition<Table>* take() {
        Partition<Table>* const partition = first_;
        if (partition != nullptr) first_ = partition->next;
        return partition;
    }

    Partition<Table>* partitions_;
    [[no_unique_address]] Hash hash_;
    unsigned shift_;
    Partition<Table>* first_ = nullptr; // that have work to do
    Partition<Table>* last_ = nullptr;
    std::size_t growers_out_ = 0; // in the core's queue
    std::array<Grower, most_growers> growers_{};
};

} // namespace mxk
