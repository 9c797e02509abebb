// Tables that grow by themselves as regions for recorded runs, and other keys that come and go meanwhile, so that they
// do grow and shrink while the run's few keys are worked on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/panic.hpp"
#include "bench/workload/keys.hpp"
#include "hashtable/layout/chain_heads.hpp"
#include "hashtable/table/linear_buckets.hpp"
#include "hashtable/table/sharded.hpp"
#include "tasks/task_group.hpp"

namespace mxk::test {

struct PairNode {
    std::uint64_t key;
    PairNode* next;
    std::uint64_t value;
};

// The shards that one core owns as a map, if they are tables of nodes.
template <typename Shards> class NodeMap {
  public:
    explicit NodeMap(Shards& shards)
        : shards_(shards) {}
    Insert insert(std::uint64_t key, std::uint64_t value) {
        auto node = std::make_unique<PairNode>(key, nullptr, value);
        Insert const result = shards_.insert(key, node.get());
        if (result == Insert::Inserted) (void)node.release();
        return result;
    }
    [[nodiscard]] std::uint64_t const* find(std::uint64_t key) const {
        PairNode const* const node = shards_.find(key);
        return node != nullptr ? &node->value : nullptr;
    }
    bool update(std::uint64_t key, std::uint64_t value) {
        return modify(key, [value](std::uint64_t) { return value; }).has_value();
    }
    Insert upsert(std::uint64_t key, std::uint64_t value) {
        return update(key, value) ? Insert::Present : insert(key, value);
    }
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change) {
        PairNode* const node = shards_.find(key);
        return node != nullptr ? std::optional(std::exchange(node->value, change(node->value))) : std::nullopt;
    }
    bool erase(std::uint64_t key) {
        std::unique_ptr<PairNode> node(shards_.find(key));
        return shards_.erase(key);
    }

  private:
    Shards& shards_;
};

template <typename Table> class GrowingRegions {
    static constexpr bool is_chained = std::is_pointer_v<typename Table::Item>;

  public:
    // Of the smallest size. The places are those of all owners.
    explicit GrowingRegions(std::vector<Owner> const& owners)
        : shards_(Sharded<Table>::create(size(), owners, owners.size()).value()) {
        for (std::size_t i = 0; i < owners.size(); ++i) {
            others_.emplace_back(i);
            if constexpr (is_chained) maps_.emplace_back(shards_.region(i));
        }
    }
    // The console's task, when nobody works.
    ~GrowingRegions() {
        shards_.settle();
        if constexpr (is_chained) shards_.for_each([](std::uint64_t, PairNode* node) { delete node; });
    }
    GrowingRegions(GrowingRegions const&) = delete;
    GrowingRegions& operator=(GrowingRegions const&) = delete;

    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return shards_.owner(key); }
    [[nodiscard]] CoreId core(std::size_t region) const { return shards_.core(region); }
    [[nodiscard]] Sharded<Table>& shards() { return shards_; }
    [[nodiscard]] auto& region(std::size_t at) {
        if constexpr (is_chained)
            return maps_[at];
        else
            return shards_.region(at);
    }
    // How often keys have moved to other cells. The console's task, when no operations are under way.
    [[nodiscard]] std::size_t moves() {
        shards_.settle();
        std::size_t sum = 0;
        for (std::size_t i = 0; i < shards_.region_count(); ++i) sum += shards_.region(i).moves();
        return sum;
    }

    // From a task of the group: `count` other keys of this region come, or those that there are go, in turns.
    void come_and_go(Worker& worker, TaskGroup& group, std::size_t at, std::size_t count) {
        expect(group.spawn(worker, core(at), [this, at, count](Worker&) { others_[at].turn(*this, count); }),
               "no memory");
    }

  private:
    // Keys of a region that no run has, of which a part is in the table. Its owner's.
    class Others {
      public:
        explicit Others(std::size_t at)
            : at_(at) {}
        void turn(GrowingRegions& regions, std::size_t count) {
            auto& region = regions.region(at_);
            if (std::exchange(they_come_, !they_come_)) {
                for (std::size_t i = 0; i < count; ++i) {
                    std::uint64_t key = sequence_(next_++);
                    while (regions.owner(key) != at_) key = sequence_(next_++);
                    expect(region.insert(key, key) == Insert::Inserted, "another key is not there");
                    present_.push_back(key);
                }
            } else {
                for (std::uint64_t const key : present_) {
                    auto const found = region.find(key);
                    expect(found != nullptr && *found == key, "another key is there");
                    expect(region.erase(key), "another key can be erased");
                }
                present_.clear();
            }
        }

      private:
        std::size_t at_;
        bench::KeySequence sequence_{99};
        std::uint64_t next_ = 0;
        bool they_come_ = true;
        std::vector<std::uint64_t> present_;
    };

    // Linear buckets are many to begin with: so they are crowded early.
    static TableSize size() {
        if constexpr (std::is_same_v<Table, LinearBuckets<>>) return {.slots = 16, .load = 0.05};
        return {.slots = 16};
    }

    Sharded<Table> shards_;
    std::deque<NodeMap<OwnedShards<Table>>> maps_; // empty unless chained
    std::deque<Others> others_;
};

} // namespace mxk::test
