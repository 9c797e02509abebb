// Sorting over all cores, by forks: halves are sorted into memory beside and merged, each merge cut in two where it is
// long. It takes as much memory again as the elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/fork/loops.hpp"

namespace mxk {
namespace forks {

template <typename T, typename Less, bool stable> class MergeSort {
  public:
    explicit MergeSort(Less& less)
        : less_(less) {}

    // Those in `values`, into `beside` or where they are; the other place holds anything then.
    // `core`: a ForkCore, or anything else that has both().
    template <typename Core> void sort(Core& core, std::span<T> values, std::span<T> beside, bool into_beside) {
        std::size_t const size = values.size();
        if (size <= leaf) return sort_leaf(values, beside, into_beside);
        std::size_t const half = size / 2;
        core.both([&](auto& its) { sort(its, values.first(half), beside.first(half), !into_beside); },
                  [&](auto& its) { sort(its, values.subspan(half), beside.subspan(half), !into_beside); });
        std::span<T> const from = into_beside ? values : beside;
        merge(core, from.first(half), from.subspan(half), into_beside ? beside.data() : values.data());
    }

  private:
    static constexpr std::size_t leaf = 4096;
    static constexpr std::size_t run = 16; // sorted by insertion
    static constexpr std::size_t long_merge = 32 * KiB;

    void sort_leaf(std::span<T> values, std::span<T> beside, bool into_beside) {
        if constexpr (stable) {
            std::size_t const size = values.size();
            for (std::size_t from = 0; from < size; from += run)
                insert(values.subspan(from, std::min(run, size - from)));
            T* source = values.data();
            T* target = beside.data();
            for (std::size_t width = run; width < size; width *= 2, std::swap(source, target))
                for (std::size_t from = 0; from < size; from += 2 * width) {
                    std::size_t const middle = std::min(from + width, size);
                    std::size_t const end = std::min(from + 2 * width, size);
                    merge_parts(source + from, source + middle, source + middle, source + end, target + from);
                }
            T* const wanted = into_beside ? beside.data() : values.data();
            if (source != wanted) std::copy_n(source, size, wanted);
        } else {
            std::sort(values.begin(), values.end(), less_);
            if (into_beside) std::copy(values.begin(), values.end(), beside.begin());
        }
    }
    void insert(std::span<T> values) {
        for (std::size_t i = 1; i < values.size(); ++i) {
            T const value = values[i];
            std::size_t at = i;
            for (; at > 0 && less_(value, values[at - 1]); --at) values[at] = values[at - 1];
            values[at] = value;
        }
    }
    // Without a branch for the choice, which no processor can guess.
    void merge_parts(T const* first, T const* first_end, T const* second, T const* second_end, T* into) {
        while (first != first_end && second != second_end) {
            T const one = *first;
            T const other = *second;
            bool const is_second = less_(other, one);
            *into++ = is_second ? other : one;
            second += static_cast<std::ptrdiff_t>(is_second);
            first += static_cast<std::ptrdiff_t>(!is_second);
        }
        into = std::copy(first, first_end, into);
        std::copy(second, second_end, into);
    }
    // Of equal ones those of `first` come first.
    template <typename Core> void merge(Core& core, std::span<T const> first, std::span<T const> second, T* into) {
        if (first.size() + second.size() <= long_merge) {
            merge_parts(first.data(), first.data() + first.size(), second.data(), second.data() + second.size(), into);
            return;
        }
        std::size_t in_first = first.size() / 2;
        std::size_t in_second = second.size() / 2;
        if (first.size() >= second.size())
            in_second = static_cast<std::size_t>(
                std::lower_bound(second.begin(), second.end(), first[in_first], less_) - second.begin());
        else
            in_first = static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), second[in_second], less_) -
                                                first.begin());
        core.both([&](auto& its) { merge(its, first.first(in_first), second.first(in_second), into); },
                  [&](auto& its) {
                      merge(its, first.subspan(in_first), second.subspan(in_second), into + in_first + in_second);
                  });
    }

    Less& less_;
};

template <bool stable, typename T, typename Less> Result<void> sort(std::span<T> values, Less& less) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "what is sorted on all cores can be copied as bytes: of other objects sort their numbers");
    constexpr std::size_t few = 4096;
    if (values.size() < 2) return {};
    if (values.size() <= few && !stable) {
        std::sort(values.begin(), values.end(), less);
        return {};
    }
    if (workers::count() == 0) return Error("a parallel sort needs a Runtime that runs");
    auto beside = MXK_TRY(NodeArray<T>::create(values.size(), node_id(0)));
    MergeSort<T, Less, stable> work(less);
    enter([&](ForkCore& core) { work.sort(core, values, beside.span().first(values.size()), false); });
    return {};
}

} // namespace forks

// Ascending by less(), which must not throw. Errors: no memory for as many elements again, and nothing has changed
// then.
template <typename T, typename Less = std::less<>> Result<void> parallel_sort(std::span<T> values, Less less = {}) {
    return forks::sort<false>(values, less);
}
// The same; equal ones keep their order.
template <typename T, typename Less = std::less<>>
Result<void> parallel_stable_sort(std::span<T> values, Less less = {}) {
    return forks::sort<true>(values, less);
}

// Those for which belongs(value) is true come first, in their order, then the others in theirs. Gives how many belong;
// it is called twice for each. Errors: no memory for as many elements again, and nothing has changed then.
template <typename T, std::predicate<T const&> Belongs>
Result<std::size_t> parallel_partition(std::span<T> values, Belongs&& belongs) {
    static_assert(std::is_trivially_copyable_v<T>, "what is partitioned on all cores can be copied as bytes");
    constexpr std::size_t part = 16 * KiB;
    if (values.empty()) return std::size_t{0};
    if (workers::count() == 0) return Error("a parallel partition needs a Runtime that runs");
    std::size_t const parts = (values.size() + part - 1) / part;
    auto const counts = MXK_TRY(NodeArray<std::size_t>::create(parts, node_id(0)));
    auto const beside = MXK_TRY(NodeArray<T>::create(values.size(), node_id(0)));
    auto const of_part = [&](std::size_t at) {
        return values.subspan(at * part, std::min(part, values.size() - at * part));
    };
    parallel_for(0, parts,
                 [&](std::uint64_t at) {
                     std::size_t count = 0;
                     for (T const& value : of_part(at)) count += belongs(value) ? 1U : 0U;
                     counts[at] = count;
                 },
                 {.grain = 1});
    std::size_t sum = 0;
    for (std::size_t at = 0; at < parts; ++at) sum += std::exchange(counts[at], sum);
    parallel_for(0, parts,
                 [&](std::uint64_t at) {
                     std::size_t in = counts[at];
                     std::size_t out = sum + at * part - in;
                     for (T const& value : of_part(at)) beside[belongs(value) ? in++ : out++] = value;
                 },
                 {.grain = 1});
    parallel_for(0, parts,
                 [&](std::uint64_t at) {
                     std::span<T> const to = of_part(at);
                     std::memcpy(static_cast<void*>(to.data()), &beside[at * part], to.size_bytes());
                 },
                 {.grain = 1});
    return sum;
}

} // namespace mxk
