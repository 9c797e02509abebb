// The tables that batches go to under the model checker: what they promise to a BatchServer, and no more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/table/extendible.hpp"
#include "hashtable/value_writes.hpp"
#include "tests/model/model_memory.hpp"
#include "tests/model/weak_memory.hpp"

namespace mxk::test {

inline constexpr std::size_t max_keys = 6;

// What a region is. Who uses it and is not its owner races.
class Cells {
  public:
    Insert insert(std::uint64_t key, std::uint64_t value) {
        if (find(key) != nullptr) return Insert::Present;
        there_.at(key) = 1;
        values_.at(key) = value;
        return Insert::Inserted;
    }
    ModelPlain<std::uint64_t>* find(std::uint64_t key) { return there_.at(key) != 0 ? &values_.at(key) : nullptr; }
    bool erase(std::uint64_t key) { return std::exchange(there_.at(key), 0U) != 0; }

  private:
    std::array<ModelPlain<std::uint64_t>, max_keys> there_{};
    std::array<ModelPlain<std::uint64_t>, max_keys> values_{};
};

struct PlainMap : Cells, ValueWrites<PlainMap> {
    PlainMap() = default;
    static void prefetch(std::uint64_t /*key*/) {}
};

// Keys from 2 on are behind, two on a line. What is behind and erased brings the other one of its line to the front; a
// new 5, which counts as displacing, brings 2. Positions are of one time, which ends with an erased 1:
// then all are in front.
struct BehindMap : ValueWrites<BehindMap> {
    BehindMap() = default;
    struct Position {
        std::uint64_t moves;
        void const* line;
    };
    [[nodiscard]] Position position(std::uint64_t key) const { return {moves_, &lines_.at(key / 2)}; }
    static void prefetch(Position const& /*at*/) {}
    void prefetch(std::uint64_t /*key*/) const {}
    [[nodiscard]] bool is_behind(std::uint64_t key, Position const& at) const {
        check(at);
        return key >= 2 && is_in_front_.at(key) == 0;
    }
    static void prefetch_behind(std::uint64_t /*key*/, Position const& /*at*/) {}
    static void const* first_line(Position const& at) { return at.line; }
    [[nodiscard]] std::uint64_t moves() const { return moves_; }
    [[nodiscard]] std::uint64_t displacements() const { return displacements_; }

    template <typename... At> Insert insert(std::uint64_t key, std::uint64_t value, At const&... at) {
        (check(at), ...);
        Insert const result = cells_.insert(key, value);
        if (key == 5 && result == Insert::Inserted) {
            displacements_ += 1;
            is_in_front_.at(2) = 1;
        }
        return result;
    }
    template <typename... At> ModelPlain<std::uint64_t>* find(std::uint64_t key, At const&... at) {
        (check(at), ...);
        return cells_.find(key);
    }
    template <typename... At> bool erase(std::uint64_t key, At const&... at) {
        (check(at), ...);
        if (key == 1) {
            moves_ += 1;
            for (ModelPlain<std::uint64_t>& each : is_in_front_) each = 1;
        }
        if (key >= 2) is_in_front_.at(key ^ 1U) = 1;
        return cells_.erase(key);
    }

  private:
    void check(Position const& at) const {
        WeakMemory::current().check(at.moves == moves_, "a position that is another key's by now");
    }
    Cells cells_;
    std::array<char, max_keys / 2> lines_{};
    std::array<ModelPlain<std::uint64_t>, max_keys> is_in_front_{};
    ModelPlain<std::uint64_t> moves_{0U};
    ModelPlain<std::uint64_t> displacements_{0U};
};

// A shard of those that change their owners; one of two, of every other key.
struct KeyHash {
    std::uint64_t operator()(std::uint64_t key) const { return key << 63; }
};
struct ShardMap : Cells {
    using Key = std::uint64_t;
    using Item = std::uint64_t;
    using HashType = KeyHash;
    struct Layout {
        using Key = std::uint64_t;
        using Position = int;
    };
    struct Position {
        ShardMap* map;
        void* cell;
    };

    static Result<ShardMap> create(TableSize /*size*/, NodeId /*node*/, KeyHash /*hash*/, HashPrefix /*prefix*/) {
        return ShardMap();
    }
    Position position(Key /*key*/) { return {this, nullptr}; }
    static void prefetch(Position const& /*at*/) {}
    static std::optional<Insert> try_insert(Key key, Item item, Position const& at) {
        return static_cast<Cells*>(at.map)->insert(key, item);
    }
    Insert insert_far(Key key, Item item) { return insert(key, item); }
    static auto* find(Key key, Position const& at) { return static_cast<Cells*>(at.map)->find(key); }
    bool erase(Key key) { return Cells::erase(key); }
    bool erase(Key key, Position const& /*at*/) { return Cells::erase(key); }
    void tell(WorkListener& /*listener*/, void* /*context*/) {}
    void move_to(NodeId /*node*/) {}
    [[nodiscard]] static bool has_work() { return false; }
    static void work() {}
};

// Region 0 is core 1's, the next one is core 0's, or of three cores core 2's.
template <typename Map> struct FixedRegions {
    using Key = std::uint64_t;
    std::size_t count = 1;
    std::size_t cores = 2;
    std::array<Map, 2> maps{};
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return key % count; }
    [[nodiscard]] CoreId core(std::size_t region) const { return core_id((1 + region) % cores); }
    Map& region(std::size_t at) { return maps.at(at); }
    [[nodiscard]] std::size_t region_count() const { return count; }
};

} // namespace mxk::test
