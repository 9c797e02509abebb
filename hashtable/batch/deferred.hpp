// Operations of one batch that wait for a second line (BehindTable, batch_positions.hpp): where the first one sent them
// on. They run when the batch behind theirs has run, some dozen operations later, when that line is there. So a batch
// that has some goes home one batch later, and those that follow it go home behind it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hashtable/batch/batch.hpp"
#include "hashtable/batch/batch_positions.hpp"
#include "hashtable/fraction.hpp"

namespace mxk {

template <BehindTable Table> class Deferred {
    using Position = typename Table::Position;

  public:
    // The batch whose operations these are, if there are some, until it goes home.
    Batch* batch = nullptr;

    // The operation at this place of the batch, behind those that are here already.
    [[gnu::noinline]] void add(Table const& table, std::size_t at, Position const& position) {
        if (count_ == 0) lines_ = 0;
        lines_ |= bit_of(Table::first_line(position));
        if constexpr (MovingTable<Table>) moves_ = table.moves();
        if constexpr (DisplacingTable<Table>) displacements_ = table.displacements();
        places_[count_] = static_cast<std::uint8_t>(at);
        positions_[count_++] = position;
    }
    [[nodiscard]] bool none() const { return count_ == 0; }
    // Whether some of these may have the same first line as some of those there were.
    [[nodiscard]] bool may_meet(Deferred const& others) const { return (lines_ & others.lines_) != 0; }
    // Whether these are still behind, so that others may overtake them.
    [[nodiscard]] bool is_current(Table const& table) const {
        if constexpr (DisplacingTable<Table>)
            return is_valid(table) && displacements_ == table.displacements();
        else
            return is_valid(table);
    }
    // Whether the positions are still those of the keys.
    [[nodiscard]] bool is_valid(Table const& table) const {
        if constexpr (MovingTable<Table>)
            return moves_ == table.moves();
        else
            return true;
    }

    // run(place, position) for each, in their order; then there are none.
    template <typename Run> void run_all(Run run) {
        for (std::size_t i = 0, count = std::exchange(count_, 0); i < count; ++i) run(places_[i], positions_[i]);
    }

  private:
    static std::uint64_t bit_of(void const* line) {
        return std::uint64_t{1} << (reinterpret_cast<std::uintptr_t>(line) * golden_ratio >> 58);
    }

    // Of the table, since the last one was deferred.
    std::uint64_t moves_ = 0;
    std::uint64_t displacements_ = 0;
    std::uint64_t lines_ = 0; // a bit for each first line of those that were added last, of 64
    std::size_t count_ = 0;
    std::array<std::uint8_t, Batch::capacity> places_;
    std::array<Position, Batch::capacity> positions_;
};

} // namespace mxk
