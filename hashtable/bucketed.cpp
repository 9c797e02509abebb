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
        lines += term * static_cast<double>((n - 1) / PairLine::places);
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

Insert Bucketed::insert_behind(PairLine& first, std::uint64_t rest, std::uint64_t key, std::uint64_t value) {
    if (first.link != 0 && find_behind(first, rest, key) != nullptr) return Insert::Present;
    if (unsigned const empty = first.places_of(0); empty != 0) {
        first.put(static_cast<std::size_t>(std::countr_zero(empty)), key, value);
    } else if (std::size_t const count = keys_behind(first); count % PairLine::places != 0) {
        behind(first)->put(count, key, value);
        ++first.link;
        first.filter |= filter_bit(rest);
    } else {
        PairLine* const line = supply_.take();
        if (line == nullptr) return Insert::NoMemory;
        line->keys = {key, 0, 0};
        line->values[0] = value;
        line->link = first.link & ~count_mask;
        first.link = reinterpret_cast<std::uintptr_t>(line) | 1;
        first.filter |= filter_bit(rest);
    }
    ++size_;
    return Insert::Inserted;
}

std::uint64_t const* Bucketed::find_behind(PairLine const& first, std::uint64_t rest, std::uint64_t key) {
    if ((first.filter & filter_bit(rest)) == 0 || key == 0) return nullptr;
    for (PairLine const* line = behind(first); line != nullptr; line = behind(*line)) {
        if (unsigned const found = line->places_of(key); found != 0)
            return &line->values[static_cast<std::size_t>(std::countr_zero(found))];
    }
    return nullptr;
}

// The last key of the line right behind the first takes the erased one's place.
bool Bucketed::erase_behind(PairLine& first, std::uint64_t rest, std::uint64_t key) {
    if ((first.filter & filter_bit(rest)) == 0 || key == 0) return false;
    PairLine* line = behind(first);
    unsigned found = 0;
    for (; line != nullptr; line = behind(*line)) {
        found = line->places_of(key);
        if (found != 0) break;
    }
    if (line == nullptr) return false;
    PairLine& filling = *behind(first);
    std::size_t const last = keys_behind(first) - 1;
    line->put(static_cast<std::size_t>(std::countr_zero(found)), filling.keys[last], filling.values[last]);
    filling.keys[last] = 0;
    --first.link;
    if (last == 0) { // empty: the one behind it, if any, is full
        first.link = filling.link != 0 ? filling.link | PairLine::places : 0;
        supply_.give_back(filling);
    }
    first.filter = filter_of(first);
    --size_;
    return true;
}

std::uint64_t Bucketed::filter_of(PairLine const& first) const {
    std::uint64_t filter = 0;
    for (PairLine const* line = behind(first); line != nullptr; line = behind(*line)) {
        for (std::uint64_t const key : line->keys)
            if (key != 0) filter |= filter_bit(placement_.place(key).rest);
    }
    return filter;
}

} // namespace mxk
