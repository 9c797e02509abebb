// Sums and prefix sums on all cores: as loops (loops.hpp), with a result.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "kernel/memory/node_array.hpp"
#include "tasks/fork/loops.hpp"

namespace mxk {

struct ReduceOptions {
    std::uint64_t grain = 0; // as LoopOptions
    // Whether combine() is called for the same parts each time, whatever the cores do: so that sums of floating-point
    // numbers are the same each time, on any number of cores.
    bool fixed_order = false;
};

namespace forks {

template <typename T, typename Map, typename Combine> class Reduction {
  public:
    Reduction(T const& identity, Map& map, Combine& combine)
        : identity_(identity)
        , map_(map)
        , combine_(combine) {}

    T run(ForkCore& core, std::uint64_t begin, std::uint64_t end, Pace pace) {
        T sum = identity_;
        while (begin != end) {
            if (end - begin > pace.size() && pace.is_known() && core.has_none_to_steal()) {
                std::uint64_t const middle = begin + (end - begin) / 2;
                auto [left, right] = both(
                    core, [&](ForkCore& its) { return run(its, begin, middle, pace.of_part()); },
                    [&](ForkCore& its) { return run(its, middle, end, pace.of_part()); });
                return combine_(combine_(std::move(sum), std::move(*left)), std::move(*right));
            }
            begin = pace.run(begin, end, [&](std::uint64_t from, std::uint64_t to) { sum = add(sum, from, to); });
            core.attend();
        }
        return sum;
    }
    T run_fixed(ForkCore& core, std::uint64_t begin, std::uint64_t end, std::uint64_t grain) {
        if (end - begin <= grain) return add(identity_, begin, end);
        std::uint64_t const middle = begin + (end - begin) / 2;
        auto [left, right] = both(
            core, [&](ForkCore& its) { return run_fixed(its, begin, middle, grain); },
            [&](ForkCore& its) { return run_fixed(its, middle, end, grain); });
        return combine_(std::move(*left), std::move(*right));
    }

  private:
    template <typename Left, typename Right>
    static std::pair<std::optional<T>, std::optional<T>> both(ForkCore& core, Left left, Right right) {
        std::pair<std::optional<T>, std::optional<T>> results;
        core.both([&](ForkCore& its) { results.first.emplace(left(its)); },
                  [&](ForkCore& its) { results.second.emplace(right(its)); });
        return results;
    }
    // A sum of its own, which the compiler keeps in a register.
    [[gnu::noinline]] T add(T const& before, std::uint64_t from, std::uint64_t to) {
        T sum = before;
        for (; from != to; ++from) sum = combine_(std::move(sum), map_(from));
        return sum;
    }

    T const& identity_;
    Map& map_;
    Combine& combine_;
};

} // namespace forks

// map(begin), map(begin + 1) ... combined from the left to the right, in parts: combine(combine(identity, a), b).
// combine() is associative, and `identity` changes nothing.
template <typename T, std::invocable<std::uint64_t> Map, typename Combine>
T parallel_reduce(std::uint64_t begin, std::uint64_t end, T identity, Map&& map, Combine&& combine,
                  ReduceOptions const& options = {}) {
    constexpr std::uint64_t fixed_parts = 1024;
    if (begin >= end) return identity;
    forks::Reduction<T, Map, Combine> reduction(identity, map, combine);
    return forks::enter([&](ForkCore& core) {
        if (!options.fixed_order) return reduction.run(core, begin, end, forks::Pace(options.grain));
        std::uint64_t const own = (end - begin - 1) / fixed_parts + 1;
        return reduction.run_fixed(core, begin, end, options.grain != 0 ? options.grain : own);
    });
}

// map(key, value) for every pair of a table, or map(key) of a set, combined in any order: combine() is commutative,
// too. As parallel_for(table, visit).
template <InRegions Table, typename T, typename Map, typename Combine>
T parallel_reduce(Table const& table, T identity, Map&& map, Combine&& combine) {
    auto const of_region = [&](std::uint64_t region) {
        T sum = identity;
        table.for_each_of_region(region, [&](auto const&... pair) { sum = combine(std::move(sum), map(pair...)); });
        return sum;
    };
    return parallel_reduce(0, table.region_count(), identity, of_region, combine);
}

// results[i] = combine of values[0] to values[i]; `results` may be `values`. As many results as values. combine() is
// associative. Without memory for the parts' sums it is done by one core.
template <typename T, typename Combine>
void parallel_inclusive_scan(std::span<T const> values, std::span<T> results, Combine&& combine) {
    static_assert(std::is_trivially_copyable_v<T>, "what is scanned can be copied as bytes");
    expect(values.size() == results.size(), "a scan has as many results as values");
    auto const scan = [&](std::size_t from, std::size_t to, T const* before) {
        for (std::size_t i = from; i < to; ++i) {
            T const here = i == from ? (before != nullptr ? combine(*before, values[i]) : values[i])
                                     : combine(results[i - 1], values[i]);
            results[i] = here;
        }
    };
    constexpr std::size_t part = 16 * KiB;
    std::size_t const parts = (values.size() + part - 1) / part;
    if (parts < 2 || workers::count() == 0) return scan(0, values.size(), nullptr);
    auto const made = NodeArray<T>::create(parts, node_id(0));
    if (!made) return scan(0, values.size(), nullptr);
    std::span<T> const sums = made.value().span();
    auto const end_of = [&](std::size_t at) { return std::min((at + 1) * part, values.size()); };
    parallel_for(0, parts - 1,
                 [&](std::uint64_t at) {
                     T sum = values[at * part];
                     for (std::size_t i = at * part + 1; i < end_of(at); ++i) sum = combine(sum, values[i]);
                     sums[at] = sum;
                 },
                 {.grain = 1});
    for (std::size_t at = 1; at + 1 < parts; ++at) sums[at] = combine(sums[at - 1], sums[at]);
    parallel_for(0, parts, [&](std::uint64_t at) { scan(at * part, end_of(at), at == 0 ? nullptr : &sums[at - 1]); },
                 {.grain = 1});
}

} // namespace mxk
