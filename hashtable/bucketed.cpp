#include "hashtable/bucketed.hpp"

namespace mxk {
namespace {

// The lines behind the first that `keys` keys in `buckets` buckets need on average, if each key's bucket is random: the
// number of keys in a bucket then has a Poisson distribution. Its terms are l^n / n! divided by their sum.
double expected_lines_behind(double keys, double buckets) {
    constexpr double most_keys_per_bucket = 64; // beyond it, the terms need no computing: nearly all lines are full
    constexpr auto places = static_cast<double>(PairLine::places);
    double const load = keys / buckets;
    if (load > most_keys_per_bucket) return keys / places;
    double term = 1;
    double sum = 1;
    double lines = 0;
    for (std::size_t n = 1; n < static_cast<std::size_t>(4 * load) + 32; ++n) {
        term *= load / static_cast<double>(n);
        sum += term;
        std::size_t const behind = (n - 1) / PairLine::places;
        lines += term * static_cast<double>(behind);
    }
    return buckets * lines / sum;
}

} // namespace

Result<void> Bucketed::reserve(std::size_t keys) {
    auto const expected =
        static_cast<std::size_t>(expected_lines_behind(static_cast<double>(keys), static_cast<double>(bucket_count_)));
    std::size_t const wanted = expected + expected / 32 + 64; // what chance may add: more than three deviations
    return wanted > supply_.made() ? supply_.reserve(wanted - supply_.made()) : Result<void>();
}

Insert Bucketed::insert_behind(PairLine& first, std::uint64_t hash, std::uint64_t value) {
    bool const is_last = first.link <= taken_mask;
    if (!is_last && find_behind(first, hash) != nullptr) return Insert::Present;
    if (taken_places(first) != taken_mask) {
        first.put(lowest_empty_place(first), hash, value);
        first.link |= first.link + 1;
    } else if (!is_last && keys_behind(first) < PairLine::places) {
        behind(first)->put(keys_behind(first), hash, value);
        first.link = (first.link + one_key) | filter_bit(hash);
    } else {
        PairLine* const line = supply_.take();
        if (line == nullptr) return Insert::Full;
        line->put(0, hash, value);
        line->link = is_last ? 0 : address_bits(*behind(first));
        first.link = (first.link & filter_mask) | filter_bit(hash) | address_bits(*line) | taken_mask;
        expect(behind(first) == line, "the address of a line of pairs has 48 bits with a sign");
    }
    ++size_;
    return Insert::Inserted;
}

std::uint64_t* Bucketed::find_behind(PairLine const& first, std::uint64_t hash) {
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
bool Bucketed::erase_behind(PairLine& first, std::uint64_t hash) {
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
        supply_.give_back(filling);
    }
    first.link = (first.link & ~filter_mask) | filter_of(first);
    --size_;
    return true;
}

std::uint64_t Bucketed::filter_of(PairLine const& first) {
    std::uint64_t filter = 0;
    std::size_t keys = keys_behind(first);
    for (PairLine const* line = behind(first); line != nullptr; line = behind(*line)) {
        for (std::size_t i = 0; i < keys; ++i) filter |= filter_bit(line->remainder(i));
        keys = PairLine::places;
    }
    return filter;
}

} // namespace mxk
