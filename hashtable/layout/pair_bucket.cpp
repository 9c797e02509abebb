#include "hashtable/layout/pair_bucket.hpp"

#include "base/panic.hpp"
#include "base/units.hpp"

namespace mxk {

Insert PairBucket::insert_behind(PairLine& first, std::uint64_t hash, std::uint64_t value, LineSupply& supply) {
    bool const is_last = first.link <= taken_mask;
    if (!is_last && find_behind(first, hash) != nullptr) return Insert::Present;
    if (taken_places(first) != taken_mask) {
        first.put(lowest_empty_place(first), hash, value);
        first.link |= first.link + 1;
    } else if (!is_last && keys_behind(first) < PairLine::places) {
        behind(first)->put(keys_behind(first), hash, value);
        first.link = (first.link + one_key) | filter_bit(hash);
    } else {
        PairLine* const line = supply.take();
        if (line == nullptr) return Insert::Full;
        line->put(0, hash, value);
        line->link = is_last ? 0 : address_bits(*behind(first));
        first.link = (first.link & filter_mask) | filter_bit(hash) | address_bits(*line) | taken_mask;
        expect(behind(first) == line, "the address of a line of pairs has 48 bits with a sign");
    }
    return Insert::Inserted;
}

std::uint64_t* PairBucket::find_behind(PairLine const& first, std::uint64_t hash) {
    if ((first.link & filter_bit(hash)) == 0) return nullptr;
    unsigned taken = taken_behind(first);
    for (PairLine* line = behind(first); line != nullptr; line = behind(*line)) {
        if (unsigned const found = line->places_of(hash) & taken; found != 0)
            return &line->values[static_cast<unsigned>(std::countr_zero(found))];
        taken = PairLine::all_places;
    }
    return nullptr;
}

// The last key of the line right behind the first takes the erased one's place.
bool PairBucket::erase_behind(PairLine& first, std::uint64_t hash, LineSupply& supply) {
    std::uint64_t* const value = find_behind(first, hash);
    if (value == nullptr) return false;
    PairLine& filling = *behind(first);
    std::size_t const last = keys_behind(first) - 1;
    // The line that has the value: it is aligned to its size.
    auto& line = *reinterpret_cast<PairLine*>(align_down(reinterpret_cast<std::uintptr_t>(value), sizeof(PairLine)));
    line.put(static_cast<std::size_t>(value - line.values.data()), filling.remainder(last), filling.values[last]);
    if (last > 0) {
        first.link -= one_key;
    } else { // empty: the one behind it, if any, is full
        first.link = (first.link & taken_mask) | (filling.link != 0 ? filling.link | count_mask : 0);
        supply.give_back(filling);
    }
    first.link = (first.link & ~filter_mask) | filter_of(first);
    return true;
}

void PairBucket::release(PairLine& first, LineSupply& supply) {
    for (PairLine* line = behind(first); line != nullptr;) {
        PairLine* const next = behind(*line);
        supply.give_back(*line);
        line = next;
    }
    first.link = 0;
}

std::uint64_t PairBucket::filter_of(PairLine const& first) {
    std::uint64_t filter = 0;
    std::size_t keys = keys_behind(first);
    for (PairLine const* line = behind(first); line != nullptr; line = behind(*line)) {
        for (std::size_t i = 0; i < keys; ++i) filter |= filter_bit(line->remainder(i));
        keys = PairLine::places;
    }
    return filter;
}

} // namespace mxk
