// Where the operations of a batch will find their keys, for tables that know it when they are asked for the memory
// (Bucketed, OwnedShards, Extendible): so that it is not computed again, and an operation begins with the address of
// what it reads.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/prefetch.hpp"
#include "hashtable/batch/batch.hpp"

namespace mxk {

// A table that says where a key belongs; to be handed to the operation on that key. Unless moves() has changed, if it
// has that: else keys keep their places.
template <typename Table>
concept PositionTable = requires(Table& table, std::uint64_t key, typename Table::Position const& position) {
    { table.position(key) } -> std::same_as<typename Table::Position>;
    table.prefetch(position);
};
template <typename Table>
concept MovingTable = requires(Table& table) {
    { table.moves() } -> std::same_as<std::uint64_t>;
};

// A table whose operations mostly end at the line that was asked for, and which says of one, once that is there, that
// it does not, is_behind(key, position): then prefetch_behind(key, position) asks for what it reads besides.
// Such operations may be deferred until others have run that are not behind, without one on the same key overtaking
// another: these leave behind what is behind. So does an operation that is behind itself, but for keys with the same
// first_line(position), and as long as positions are valid and nothing is displaced.
template <typename Table>
concept BehindTable = PositionTable<Table> &&
    requires(Table& table, std::uint64_t key, typename Table::Position const& position) {
    { table.is_behind(key, position) } -> std::same_as<bool>;
    table.prefetch_behind(key, position);
    { Table::first_line(position) } -> std::same_as<void const*>;
};

// One in which a key may come from behind to the front, by insertions that are behind themselves, and which counts
// that.
template <typename Table>
concept DisplacingTable = BehindTable<Table> && requires(Table& table) {
    { table.displacements() } -> std::same_as<std::uint64_t>;
};

// For other tables: they are asked, and nothing is remembered.
template <typename Table> class BatchPositions {
  public:
    static constexpr std::size_t burst = 1;
    static void ask(Table const& table, std::uint64_t const* keys, std::size_t from, std::size_t to) {
        for (; from < to; ++from) table.prefetch(*keys++);
    }
    static void swap() {}
    static void ask_near(std::size_t, std::size_t) {}
    [[nodiscard]] static bool is_valid(Table const&) { return true; }
    template <typename Operate> [[gnu::always_inline]] static auto with(std::size_t, Operate operate) {
        return operate();
    }
};

template <PositionTable Table> class BatchPositions<Table> {
    using Position = typename Table::Position;

  public:
    BatchPositions() = default;
    BatchPositions(BatchPositions const&) = delete;
    BatchPositions& operator=(BatchPositions const&) = delete;

    static constexpr std::size_t burst = 8;
    // For operations of the next batch, by their places in it, from 0 on. Mostly a whole burst, whose loops are
    // unrolled; all its positions first: they are computed side by side.
    [[gnu::always_inline]] void ask(Table const& table, std::uint64_t const* keys, std::size_t from, std::size_t to) {
        Asked& asked = *next_;
        if constexpr (MovingTable<Table>) {
            if (from == 0) asked.moves = table.moves();
            if (asked.moves != table.moves()) [[unlikely]]
                asked.moves = never;
        }
        Position* const positions = asked.positions.data() + from;
        if (to - from != burst) [[unlikely]]
            return ask_for_some(table, keys, positions, to - from);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < burst; ++i) positions[i] = table.position(keys[i]);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < burst; ++i) table.prefetch(positions[i]);
    }
    // The second stage, of operations of this batch: the lines at their positions, which are in the second-level cache.
    // A place beyond the batch stands for any: a hint too many.
    [[gnu::always_inline]] void ask_near(std::size_t from, std::size_t to) const {
        if constexpr (BehindTable<Table>)
            for (; from < to; ++from) prefetch_for_read(Table::first_line(current_->positions[from % Batch::capacity]));
    }
    // The next batch is this one from now on.
    void swap() {
        std::swap(current_, next_);
    }

    // Whether these are still the keys' positions.
    [[nodiscard]] [[gnu::always_inline]] bool is_valid(Table const& table) const {
        if constexpr (MovingTable<Table>)
            return current_->moves == table.moves();
        else
            return true;
    }
    [[nodiscard]] Position const& operator[](std::size_t at) const {
        return current_->positions[at];
    }
    // operate(position)
    template <typename Operate> [[gnu::always_inline]] auto with(std::size_t at, Operate operate) const {
        return operate(current_->positions[at]);
    }
    // Whether the operation may be deferred: then what it reads besides is asked for. `table` is a BehindTable.
    [[gnu::always_inline]] bool is_behind(Table const& table, std::uint64_t key, std::size_t at) const {
        Position const& position = current_->positions[at];
        if (!table.is_behind(key, position)) [[likely]]
            return false;
        table.prefetch_behind(key, position);
        return true;
    }

  private:
    [[gnu::noinline]] static void ask_for_some(Table const& table, std::uint64_t const* keys, Position* positions,
                                               std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) table.prefetch(positions[i] = table.position(keys[i]));
    }

    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max(); // no table has moved so often
    struct Asked {
        std::uint64_t moves = never; // of the table, from the first to the last; `never` if it changed meanwhile
        std::array<Position, Batch::capacity> positions;
    };
    std::array<Asked, 2> asked_;
    Asked* current_ = &asked_[0];
    Asked* next_ = &asked_[1];
};

} // namespace mxk
