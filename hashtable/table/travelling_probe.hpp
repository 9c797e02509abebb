// An operation on a table with open addressing that is cut into regions (thesis section 3.3, Algorithm 3.6). It begins
// at the home slot of its key and goes on from region to region, the first one behind the last, until it knows its
// result; at the latest when it is back home and has seen the slots in front of its home slot, too. Its carrier
// brings it from owner to owner: a task, or a loop where one core owns all:
//
//     TravellingProbe probe(key, value);
//     std::size_t at = table.owner(key);
//     while (probe.put(table, at) == Probed::EndOfRegion) at = TravellingProbe::next(table, at);
//
//          region 0           region 1           region 2
//     | . . . . . . . . | . . . . H . . . . | . . . . . . . . |      H: the key's home slot
//       3 3 3 3 3 3 3 3   4 4 4 4 1 1 1 1 1   2 2 2 2 2 2 2 2        first visit, second, ...
//
// Several operations on one key may be under way, from several clients. Each has the result that it would have if those
// in front of it had ended before it began; "in front" is the order in which they come to the key's owner. For:
//
// 1. They all go the same way. Each region is left for the same next one, a core's queue keeps the order of what one
//    core sends, and a visit is one task, which nothing interrupts. So none overtakes another: where one looks, all in
//    front of it have been, and have left for good. As far as their key is concerned, they might as well have run one
//    after the other, each to its end. What other keys do to the slots meanwhile, between two visits, may be anything,
//    but for this: no slot becomes empty again.
// 2. So each operation need only be right alone, while the slots without its key change at will. The key never stands
//    behind an empty slot of its way: there was none in between when it was put, and none appears. Hence find and erase
//    may stop at the first empty slot.
// 3. A put takes the first free slot of its way at once, deleted or empty, and then looks for the key's older place
//    further along, to or past the end of that region's part, up to all the way. If there is one, it is deleted:
//    the key has moved. (To take the first deleted slot and look no further, as Algorithm 3.3 is printed, has the key
//    stand twice, and an erased one come back.)
//
// Why the new place is taken at once: a put could also wait until its search ends, and take a deleted slot of that
// region only. But when no slot of a table is empty any more, every search ends where it began, and a put would have to
// go round again for a deleted slot. Then it is no longer in front of those behind it, which have passed that slot: a
// find would miss a key that was put before, and of two puts of one key each could get a slot that was not free when
// the other one passed, so that the key stands twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/panic.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/table/partitioned.hpp"

namespace mxk {

// What a visit has found out about the key.
enum class Probed : std::uint8_t {
    EndOfRegion, // nothing yet: on to the next region
    There,       // it was there: found, erased, or has got a new value
    NotThere,    // it was not; after a put it is
    Full         // it was not, and the put has met no free slot on all its way: it still is not
};

// Regions: a Partitioned of ProbedRegion, or of GrowingProbedRegion (layout/growing_probed_region.hpp), whose regions
// grow while operations travel.
// Each visit: the core that owns region `at`, never blocks. The first one is to the key's owner; what says EndOfRegion
// is called again at the next region, until it says something else.
class TravellingProbe {
  public:
    using Table = Partitioned<ProbedRegion>;

    TravellingProbe() = default;
    // A new operation. Panics on key 0: free slots have it. `value`: what a put writes.
    explicit TravellingProbe(std::uint64_t key, std::uint64_t value = 0)
        : key_(key)
        , value_(value) {
        expect(key != 0, "a free slot has key 0");
    }

    [[nodiscard]] std::uint64_t key() const { return key_; }
    // A put's or an update's, what a find has found, or what a modify has replaced.
    [[nodiscard]] std::uint64_t value() const { return value_; }

    // The key has the value afterwards, whether it was there or not, unless the table is Full.
    template <typename Regions> Probed put(Regions& table, std::size_t at) {
        auto& region = table.region(at);
        auto const [slot, first_free] = search_with_free(table, region);
        if (has_key(slot)) {
            if (is_placed_)
                region.clear(*slot);
            else
                slot->value = value_;
            return Probed::There;
        }
        if (!is_placed_ && first_free != nullptr) {
            region.fill(*first_free, key_, value_);
            is_placed_ = true;
        }
        if (slot == nullptr && !has_seen_all(table)) return Probed::EndOfRegion;
        return is_placed_ ? Probed::NotThere : Probed::Full;
    }

    template <typename Regions> Probed find(Regions const& table, std::size_t at) {
        ProbedRegion::Slot const* const slot = table.region(at).search(begin_visit(table), key_);
        if (!has_key(slot)) return not_there(table, slot);
        value_ = slot->value;
        return Probed::There;
    }

    // The key has the value afterwards, if it was there. What put() is to an upsert, this is to an update.
    template <typename Regions> Probed update(Regions& table, std::size_t at) {
        return overwrite(table, at, [this](std::uint64_t) { return value_; });
    }
    // The key's value becomes change(value), if the key is there; value() is what it was.
    template <typename Regions, typename Change> Probed modify(Regions& table, std::size_t at, Change change) {
        return overwrite(table, at, [&](std::uint64_t before) { return change(value_ = before); });
    }

    template <typename Regions> Probed erase(Regions& table, std::size_t at) {
        auto& region = table.region(at);
        ProbedRegion::Slot* const slot = region.search(begin_visit(table), key_);
        if (!has_key(slot)) return not_there(table, slot);
        region.clear(*slot);
        return Probed::There;
    }

    // The region that follows. Any core, at any time.
    template <typename Regions> static std::size_t next(Regions const& table, std::size_t at) {
        return at + 1 == table.region_count() ? 0 : at + 1;
    }

  private:
    template <typename Regions, typename Change> Probed overwrite(Regions& table, std::size_t at, Change change) {
        ProbedRegion::Slot* const slot = table.region(at).search(begin_visit(table), key_);
        if (!has_key(slot)) return not_there(table, slot);
        slot->value = change(slot->value);
        return Probed::There;
    }

    // Whether operations come back to their home region, for the slots in front of their home.
    template <typename Regions>
    static constexpr bool comes_home = std::remove_cvref_t<decltype(std::declval<Regions&>().region(0))>::comes_home;

    template <typename Regions, typename Region>
    [[gnu::always_inline]] ProbedRegion::Search search_with_free(Regions const& table, Region& region) {
        ProbedRegion::Part const part = begin_visit(table);
        ProbedRegion::Search found = region.search_with_free(part, key_);
        if constexpr (!comes_home<Regions>) {
            bool const has_place = is_placed_ || found.end != nullptr || found.first_free != nullptr;
            if (!has_place && has_seen_all(table)) [[unlikely]]
                found = region.search_with_room(part, key_);
        }
        return found;
    }
    template <typename Regions> ProbedRegion::Part begin_visit(Regions const& table) {
        std::size_t const visits = visits_++;
        if (visits == 0) [[likely]]
            return ProbedRegion::Part::FromHome;
        return visits < table.region_count() ? ProbedRegion::Part::All : ProbedRegion::Part::UpToHome;
    }
    template <typename Regions> [[nodiscard]] bool has_seen_all(Regions const& table) const {
        return visits_ >= table.region_count() + (comes_home<Regions> ? 1 : 0);
    }

    // Where a search has ended.
    [[nodiscard]] bool has_key(ProbedRegion::Slot const* slot) const { return slot != nullptr && slot->key == key_; }
    template <typename Regions>
    [[nodiscard]] Probed not_there(Regions const& table, ProbedRegion::Slot const* slot) const {
        return slot != nullptr || has_seen_all(table) ? Probed::NotThere : Probed::EndOfRegion;
    }

    std::uint64_t key_ = 0;
    std::uint64_t value_ = 0;
    std::uint32_t visits_ = 0; // begun
    bool is_placed_ = false;   // a put's new place is taken
};

} // namespace mxk
