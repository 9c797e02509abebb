// One core's part of the thesis' table with open addressing (section 3.1, Algorithm 3.3): one contiguous array of
// slots, linear probing, one key per slot, cut into regions. A search that reaches the end of its region goes on in the
// next one, which is another core's; so an operation looks at a part of each region that it comes through, and
// TravellingProbe (travelling_probe.hpp) says which and what it does there. For one core at a time: no locks, no
// atomics, nothing about tasks; any number may read while nobody writes.
//
//     slots   | 17 v | 0 1 | 0 0 | 33 v |      key and value; key 0 and value 1: deleted, a search goes on;
//               taken  dele-  empty             key 0 and value 0: empty, a search ends here
//                      ted
//
// A slot that was taken is never empty again: operations that have passed it rely on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/partition/modulo_cut.hpp"

namespace mxk {

// Every function: the owning core, never blocks.
class ProbedRegion {
  public:
    struct Slot {
        std::uint64_t key = 0;
        std::uint64_t value = 0; // says what kind of free slot this is if there is no key

        [[nodiscard]] bool is_free() const { return key == 0; }
        [[nodiscard]] bool is_empty() const { return key == 0 && value == 0; }
    };
    using Bucket = Slot;
    using Cut = ModuloCut;

    static constexpr bool comes_home = true; // an operation, for the slots in front of its home

    // The slots that an operation on a key looks at in one go. FromHome and UpToHome: of the region that has the key's
    // home slot, key mod n, only.
    enum class Part : std::uint8_t { FromHome, All, UpToHome };

    // Writes every slot. The slots must outlive the region.
    ProbedRegion(std::span<Slot> slots, RegionModulo placement)
        : slots_(slots.data())
        , end_(slots.data() + slots.size())
        , placement_(placement) {
        std::fill(slots.begin(), slots.end(), Slot{});
    }
    ProbedRegion(ProbedRegion const&) = delete; // two regions over the same slots would disagree about the size
    ProbedRegion& operator=(ProbedRegion const&) = delete;

    // Where the search for a key > 0 ends in this part: the slot that has it, or the empty one that says that it is
    // nowhere; null at the part's end.
    [[nodiscard]] Slot const* search(Part part, std::uint64_t key) const {
        auto const [from, to] = slots_of(part, key);
        for (Slot const* slot = from; slot != to; ++slot) {
            if (slot->key == key || slot->is_empty()) return slot;
        }
        return nullptr;
    }
    [[nodiscard]] Slot* search(Part part, std::uint64_t key) {
        return const_cast<Slot*>(std::as_const(*this).search(part, key));
    }

    struct Search {
        Slot* end;        // as of search()
        Slot* first_free; // of those on the way there and at it: deleted or empty; null: none
    };
    [[nodiscard]] Search search_with_free(Part part, std::uint64_t key) {
        auto const [from, to] = slots_of(part, key);
        Slot* first_free = nullptr;
        for (Slot* slot = from; slot != to; ++slot) {
            if (slot->key == key) return {slot, first_free};
            if (!slot->is_free()) continue;
            if (first_free == nullptr) first_free = slot;
            if (slot->is_empty()) return {slot, first_free};
        }
        return {nullptr, first_free};
    }

    // `slot`: free, of this region.
    void fill(Slot& slot, std::uint64_t key, std::uint64_t value) {
        slot = {key, value};
        ++size_;
    }
    // `slot`: has a key.
    void clear(Slot& slot) {
        slot = deleted;
        --size_;
    }

    // Asks for the cache line of the key's home slot, which is in this region.
    void prefetch(std::uint64_t key) const { prefetch_far(slots_ + placement_(key)); }

    // Keys; meanwhile one that is being replaced counts twice.
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t slot_count() const { return static_cast<std::size_t>(end_ - slots_); }

    // visit(key, value) for every key, slot by slot: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        for (Slot const* slot = slots_; slot != end_; ++slot)
            if (!slot->is_free()) visit(slot->key, slot->value);
    }

  private:
    static constexpr Slot deleted{0, 1};

    struct Slots {
        Slot* from;
        Slot* to;
    };
    [[nodiscard]] Slots slots_of(Part part, std::uint64_t key) const {
        if (part == Part::All) return {slots_, end_};
        Slot* const home = slots_ + placement_(key);
        return part == Part::FromHome ? Slots{home, end_} : Slots{slots_, home};
    }

    Slot* slots_;
    Slot* end_;
    RegionModulo placement_;
    std::size_t size_ = 0;
};
static_assert(sizeof(ProbedRegion::Slot) == 16);

} // namespace mxk
