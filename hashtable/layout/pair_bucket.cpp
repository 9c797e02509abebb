#include "hashtable/layout/pair_bucket.hpp"

#include <array>

#include "base/panic.hpp"
#include "base/units.hpp"

namespace mxk {

Insert PairBucket::insert_behind(PairLine& first, std::uint64_t hash, std::uint64_t value, LineSupply& supply) {
    std::uint64_t const link = first.link();
    bool const is_last = !has_lines_behind(link);
    if (!is_last && find_behind(first, hash) != nullptr) return Insert::Present;
    if (taken_places(link) != taken_mask) {
        put(first, hash, value);
    } else if (!is_last && keys_behind(link) < PairLine::places) {
        behind(link)->put(keys_behind(link), hash, value);
        first.set_link((link + one_key) | filter_bit(hash));
    } else {
        PairLine* const line = supply.take();
        if (line == nullptr) return Insert::Full;
        line->put(0, hash, value);
        line->set_link(is_last ? 0 : address_of(behind(link)));
        first.set_link((link & (version_mask | filter_mask)) | filter_bit(hash) | address_of(line) | taken_mask);
        expect(behind(first.link()) == line, "the address of a line of pairs has 48 bits with a sign");
    }
    return Insert::Inserted;
}

PairLine::Value* PairBucket::find_behind(PairLine const& first, std::uint64_t hash) {
    std::uint64_t const link = first.link();
    if ((link & filter_bit(hash)) == 0) return nullptr;
    unsigned taken = taken_behind(link);
    for (PairLine* line = behind(link); line != nullptr; line = behind(line->link())) {
        if (unsigned const found = line->places_of(hash) & taken; found != 0)
            return &line->values[static_cast<unsigned>(std::countr_zero(found))];
        taken = PairLine::all_places;
    }
    return nullptr;
}

// A line that was given back while this core is on its way through it is some other bucket's, or waits for one: its
// link leads to a line, too, or to none, and that the version has changed is seen before the next step; of a first line
// that was moved meanwhile (LinearLines), the caller sees it in the end.
PairBucket::Reading PairBucket::read_behind(PairLine const& first, std::uint64_t link, std::uint64_t hash) {
    if ((link & changes_behind) != 0) return {Seen::Changed, 0};
    Reading result{Seen::Absent, 0};
    unsigned taken = taken_behind(link);
    for (PairLine const* line = behind(link); line != nullptr;) {
        inject::point();
        if (unsigned const found = line->places_of(hash) & taken; found != 0) {
            auto const place = static_cast<unsigned>(std::countr_zero(found));
            result = {Seen::There, line->value(place, std::memory_order_acquire)};
            break;
        }
        line = behind(line->link(std::memory_order_acquire));
        if (!is_unchanged(first, link)) return {Seen::Changed, 0};
        taken = PairLine::all_places;
    }
    inject::point();
    return is_unchanged(first, link) ? result : Reading{Seen::Changed, 0};
}

// The last key of the line right behind the first takes the erased one's place.
bool PairBucket::erase_behind(PairLine& first, std::uint64_t hash, LineSupply& supply) {
    PairLine::Value* const value = find_behind(first, hash);
    if (value == nullptr) return false;
    std::uint64_t link = first.link();
    first.set_link(link | changes_behind);
    PairLine& filling = *behind(link);
    std::size_t const last = keys_behind(link) - 1;
    // The line that has the value: it is aligned to its size.
    auto& line = *reinterpret_cast<PairLine*>(align_down(reinterpret_cast<std::uintptr_t>(value), sizeof(PairLine)));
    line.put(static_cast<std::size_t>(value - line.values.data()), filling.remainder(last),
             filling.value(last, std::memory_order_relaxed));
    if (last > 0) {
        link -= one_key;
    } else { // empty: the one behind it, if any, is full
        std::uint64_t const rest = filling.link();
        link = (link & (version_mask | taken_mask)) | (rest != 0 ? rest | count_mask : 0);
        supply.give_back(filling);
    }
    first.set_link(((link & ~filter_mask) | filter_of(link)) + one_erase);
    return true;
}

bool PairBucket::copy(PairLine const& from, PairLine& to, Half half, LineSupply& supply) {
    bool is_done = true;
    for_each(from, [&](std::uint64_t remainder, std::uint64_t value) {
        if (half.has(remainder)) is_done = is_done && insert(to, remainder, value, supply) != Insert::Full;
    });
    return is_done;
}

// Line by line: a line that was read is one that may be written, or is given back.
void PairBucket::remove_behind(PairLine& first, Half half, LineSupply& supply) {
    std::uint64_t const link = first.link();
    unsigned taken = taken_places(link);
    for (unsigned i = 0; i < PairLine::places; ++i)
        if (half.has(first.remainder(i))) taken &= ~(1U << i);
    // Without the places that are put others into.
    first.set_link((link & ~taken_mask) | taken | changes_behind);
    PairLine* filling = nullptr; // right behind the first, with so many keys
    std::size_t keys = 0;
    std::uint64_t filter = 0;
    unsigned to_read = taken_behind(link);
    for (PairLine* line = behind(link); line != nullptr;) {
        std::array<std::uint64_t, PairLine::places> remainders{};
        std::array<std::uint64_t, PairLine::places> values{};
        std::size_t kept = 0;
        visit_line(*line, to_read, [&](std::uint64_t remainder, std::uint64_t value) {
            if (half.has(remainder)) return;
            remainders[kept] = remainder;
            values[kept] = value;
            ++kept;
        });
        PairLine* const next = behind(line->link());
        bool is_spare = true;
        while (kept > 0) {
            --kept;
            if (taken != taken_mask) {
                auto const place = static_cast<unsigned>(std::countr_one(taken));
                first.put(place, remainders[kept], values[kept]);
                taken |= 1U << place;
                continue;
            }
            if (filling == nullptr || keys == PairLine::places) {
                line->set_link(address_of(filling));
                filling = line;
                keys = 0;
                is_spare = false;
            }
            filling->put(keys++, remainders[kept], values[kept]);
            filter |= filter_bit(remainders[kept]);
        }
        inject::point();
        if (is_spare) supply.give_back(*line);
        line = next;
        to_read = PairLine::all_places;
    }
    std::uint64_t const rest = filling == nullptr ? 0 : address_of(filling) | filter | (keys - 1) << count_shift;
    first.set_link(((link & version_mask) | taken | rest) + one_erase);
}

void PairBucket::release(PairLine& first, LineSupply& supply) {
    for (PairLine* line = behind(first.link()); line != nullptr;) {
        PairLine* const next = behind(line->link());
        supply.give_back(*line);
        line = next;
    }
    first.set_link((first.link() & version_mask) + one_erase);
}

std::uint64_t PairBucket::filter_of(std::uint64_t link) {
    std::uint64_t filter = 0;
    std::size_t keys = keys_behind(link);
    for (PairLine const* line = behind(link); line != nullptr; line = behind(line->link())) {
        for (std::size_t i = 0; i < keys; ++i) filter |= filter_bit(line->remainder(i));
        keys = PairLine::places;
    }
    return filter;
}

} // namespace mxk
