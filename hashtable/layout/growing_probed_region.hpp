// A probed region (probed_region.hpp) that grows by itself while operations travel through it. From the thesis'
// proposal for its rehash (end of section 3.3): one hash that chooses the region for ever and one for the place inside
// it. In that proposal a key never leaves its region, which --probe local is nearest to; here keys travel on. A second
// array is beside the first for a while, and keys move there some at a time; no other region has to know.
//
//     now     moved . . . . | keys that have not moved . . . . . . . .        frontier: |
//     next    keys that have moved, and new ones of homes in front of the frontier
//
// A key with home h has home 2 h or 2 h + 1 in an array twice as large, so that keys move in the order of their homes,
// and the frontier says where one is looked for: from a home in front of it, in `next` and then behind the frontier;
// from one behind it, there only. Operations rely on two things, which have to survive the move.
//
// 1. No empty slot appears between a key and its home. Inside an array none does: a slot that was taken is never empty
//    again. But a key may stand in a region behind this one, since a put has found no free slot here. The smallest home
//    of such puts is kept (0 for those that came from the region in front): for a search from there on, an empty slot
//    is no end.
// 2. Each key finds a place in `next` at or behind its home. An array has some slots more than homes, for what each put
//    may add while keys move; and each put moves some, so that there are few such puts. Keys of other regions are
//    placed from the first slot on.
//
// The way of an operation ends in front of its home region, in whose first slots, in front of its home, it never looks:
// a key there could move to behind its home, past an operation that is on its way round. A put that has found no place
// up to there makes the last region larger at once.
//
// For one core at a time, as ProbedRegion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/partition/modulo_cut.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

// Every function: the owning core. None blocks but for the allocator's lock, where it says that it may.
class GrowingProbedRegion {
  public:
    using Slot = ProbedRegion::Slot;
    using Bucket = Slot;
    using Cut = ModuloCut;
    using Part = ProbedRegion::Part;
    using Search = ProbedRegion::Search;

    static constexpr bool comes_home = false; // an operation, for the slots in front of its home
    static constexpr std::size_t min_slots = 64;

    // Writes every slot of the first array, which must outlive the region, and has no fewer than min_slots.
    GrowingProbedRegion(std::span<Slot> slots, RegionModulo placement, NodeId node)
        : placement_(placement)
        , base_homes_(slots.size())
        , node_(node)
        , now_{.slots = slots.data(), .homes = slots.size(), .count = slots.size()}
        , max_used_(max_used(now_)) {
        expect(slots.size() >= min_slots, "a region that grows begins with 64 slots or more");
        std::fill(slots.begin(), slots.end(), Slot{});
    }
    GrowingProbedRegion(GrowingProbedRegion const&) = delete; // two regions would write the same slots
    GrowingProbedRegion& operator=(GrowingProbedRegion const&) = delete;

    // As ProbedRegion's; null also where an empty slot says nothing of the regions behind.
    [[nodiscard]] Slot const* search(Part part, std::uint64_t key) const { return scan(part, key).end; }
    [[nodiscard]] Slot* search(Part part, std::uint64_t key) { return scan(part, key).end; }
    // For a put, which moves some keys first. May block for the allocator's lock.
    [[nodiscard]] Search search_with_free(Part part, std::uint64_t key) {
        if (has_work()) [[unlikely]]
            work();
        Search const result = scan(part, key);
        if (result.end == nullptr && result.first_free == nullptr) [[unlikely]]
            passed_from_ = std::min(passed_from_, entry(part, key, now_));
        return result;
    }
    // The same for a put that must have a place here: grows at once until there is a free slot, or no memory.
    [[gnu::noinline]] Search search_with_room(Part part, std::uint64_t key) {
        for (;;) {
            while (has_work()) work();
            Search const result = scan(part, key);
            if (result.end != nullptr || result.first_free != nullptr) return result;
            begin_growth();
            if (!has_work()) return result;
        }
    }

    // As ProbedRegion's. May block for the allocator's lock, and begin to grow.
    void fill(Slot& slot, std::uint64_t key, std::uint64_t value) {
        Array& array = has_slot(next_, slot) ? next_ : now_;
        put_in(array, slot, {key, value});
        ++size_;
        if (now_.used >= max_used_ && !has_work()) [[unlikely]]
            begin_growth();
    }
    void clear(Slot& slot) {
        slot = deleted;
        --size_;
    }

    // Whether a second array stands beside the first; work() does some of what is to be done until it is the only one:
    // it writes some slots of the new array, or moves what stands in some of the old one.
    [[nodiscard]] bool has_work() const { return next_.slots != nullptr; }
    void work() {
        if (written_ < next_.count) return write_some();
        std::size_t const to = std::min(frontier_ + slots_per_move, now_.count);
        for (; frontier_ < to; ++frontier_)
            if (!now_.slots[frontier_].is_free()) move(frontier_);
        if (frontier_ == now_.count) finish();
    }

    // Asks for the line of the key's home.
    void prefetch(std::uint64_t key) const {
        std::size_t const at = home(key, now_);
        prefetch_far(is_moving() && at < frontier_ ? next_.slots + home(key, next_) : now_.slots + at);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t slot_count() const { return now_.count; }
    // Of all arrays that there are now, but the first one.
    [[nodiscard]] std::size_t bytes() const { return (now_.memory.size() + next_.memory.size()) * sizeof(Slot); }

    template <typename Visit> void for_each(Visit visit) const {
        for (std::size_t at = 0; is_moving() && at < next_.count; ++at)
            if (!next_.slots[at].is_free()) visit(next_.slots[at].key, next_.slots[at].value);
        for (std::size_t at = frontier_; at < now_.count; ++at)
            if (!now_.slots[at].is_free()) visit(now_.slots[at].key, now_.slots[at].value);
    }

  private:
    static constexpr Slot deleted{0, 1};
    static constexpr std::size_t slots_per_move = 128; // a microsecond or less, as writing
    static constexpr std::size_t slots_per_write = 512;

    struct Array {
        NodeArray<Slot> memory{}; // none: the first one is its maker's
        Slot* slots = nullptr;
        std::size_t homes = 0;
        std::size_t count = 0;      // slots: homes, and the spare ones behind them
        unsigned level = 0;         // doublings
        std::size_t used = 0;       // slots that are not empty
        std::size_t used_spare = 0; // of those behind the homes
    };

    static std::size_t max_used(Array const& array) { return array.homes / 5 * 4; }
    // Each put moves slots_per_move: so many puts while keys move, and as many again.
    static std::size_t spare_for(std::size_t homes) { return homes / 16 + 64; }

    // Of a key of this region.
    [[nodiscard]] std::size_t home(std::uint64_t key, Array const& array) const {
        // The leading bits, so that one more of them is the place in the next array. In two steps: there may be none.
        std::uint64_t const bits = MixedHash{}(key) >> 1 >> (63 - array.level);
        return (placement_(key) << array.level) + bits;
    }
    [[nodiscard]] bool is_own(std::uint64_t key) const { return placement_(key) < base_homes_; }
    // Where a search of this part begins: FromHome or All.
    [[nodiscard]] std::size_t entry(Part part, std::uint64_t key, Array const& array) const {
        return part == Part::All ? 0 : home(key, array);
    }
    [[nodiscard]] bool is_moving() const { return has_work() && written_ == next_.count; }
    [[nodiscard]] static bool has_slot(Array const& array, Slot const& slot) {
        return array.slots != nullptr && &slot >= array.slots && &slot < array.slots + array.count;
    }

    // Up to the key, an empty slot or the end; notes the first free slot on the way.
    static Slot* scan_slots(Array const& array, std::size_t from, std::uint64_t key, Slot*& first_free) {
        for (std::size_t at = from; at < array.count; ++at) {
            Slot& slot = array.slots[at];
            if (slot.key == key) return &slot;
            if (!slot.is_free()) continue;
            if (first_free == nullptr) first_free = &slot;
            if (slot.is_empty()) return &slot;
        }
        return nullptr;
    }

    [[nodiscard]] Search scan(Part part, std::uint64_t key) const {
        std::size_t const from = entry(part, key, now_);
        if (!is_moving() || from >= frontier_) [[likely]]
            return scan_now(part, key, from);
        Slot* first_free = nullptr;
        Slot* const found = scan_slots(next_, entry(part, key, next_), key, first_free);
        if (found != nullptr && found->key == key) return {found, first_free};
        // What has not moved yet. A put takes no slot there: it would have to move.
        return {scan_now(part, key, frontier_).end, first_free};
    }
    [[nodiscard]] Search scan_now(Part part, std::uint64_t key, std::size_t from) const {
        Search result{nullptr, nullptr};
        result.end = scan_slots(now_, from, key, result.first_free);
        bool const is_empty = result.end != nullptr && result.end->key != key;
        if (is_empty && passed_from_ <= entry(part, key, now_)) [[unlikely]]
            result.end = nullptr; // it may be in a region behind this one
        return result;
    }

    static void put_in(Array& array, Slot& slot, Slot const& content) {
        if (slot.is_empty()) {
            ++array.used;
            array.used_spare += &slot >= array.slots + array.homes ? 1U : 0U;
        }
        slot = content;
    }

    // Twice as large; or as large as now, where more than half of what is used is deleted slots.
    void begin_growth() {
        bool const is_churn = size_ < now_.homes / 5 * 2 && now_.used_spare <= spare_for(now_.homes) / 4;
        Array wanted{.homes = now_.homes << (is_churn ? 0 : 1), .level = now_.level + (is_churn ? 0 : 1)};
        wanted.count = wanted.homes + spare_for(wanted.homes);
        auto memory = NodeArray<Slot>::create(wanted.count, node_);
        if (!memory) {
            max_used_ = now_.used + now_.homes / 16 + 1; // tries again then
            if (!std::exchange(has_given_up_, true))
                log::warn("a region on node {} gave up growing at {} keys: {}", node_, size_, memory.error().message());
            return;
        }
        next_ = std::move(wanted);
        next_.memory = std::move(memory).value();
        next_.slots = next_.memory.data();
        written_ = 0;
        frontier_ = 0;
    }
    void write_some() {
        std::size_t const to = std::min(written_ + slots_per_write, next_.count);
        std::fill(next_.slots + written_, next_.slots + to, Slot{});
        written_ = to;
    }
    void move(std::size_t at) {
        Slot const& slot = now_.slots[at];
        std::size_t to = is_own(slot.key) ? home(slot.key, next_) : 0;
        while (to < next_.count && !next_.slots[to].is_free()) ++to;
        expect(to < next_.count, "a larger array has a place for each key behind its home");
        put_in(next_, next_.slots[to], slot);
    }
    void finish() {
        if (passed_from_ != nothing_passed) passed_from_ <<= next_.level - now_.level;
        now_ = std::exchange(next_, Array{});
        frontier_ = 0;
        max_used_ = max_used(now_);
    }

    static constexpr std::size_t nothing_passed = std::numeric_limits<std::size_t>::max();

    RegionModulo placement_;
    std::size_t base_homes_; // of the first array
    NodeId node_;
    Array now_;
    Array next_;               // while the region grows
    std::size_t written_ = 0;  // slots of next_, from the first one on
    std::size_t frontier_ = 0; // of now_: those in front of it have moved
    std::size_t passed_from_ = nothing_passed;
    std::size_t max_used_;
    std::size_t size_ = 0;
    bool has_given_up_ = false;
};

} // namespace mxk
