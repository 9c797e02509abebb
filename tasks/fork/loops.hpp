// Loops, sums and prefix sums over all cores, by forks (fork_core.hpp). A loop's core runs it from the beginning, and
// forks half of what is left whenever nothing of it is left to steal ("lazy binary splitting": Tzannes and others,
// 2010): as often as other cores are idle, about, whatever the iterations cost.
//
// All of these: in a task, whose core does nothing else meanwhile; or in any thread, which waits. Bodies run on any
// core, several at once, and wait for nothing but what they fork (fork_core.hpp). The caller sees what they wrote.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/fork/entry.hpp"
#include "tasks/fork/pace.hpp"

namespace mxk {

struct LoopOptions {
    // Iterations that are not split further; 0: so many as take some microseconds, found out while they run.
    std::uint64_t grain = 0;
    // While it is true nothing more begins: to be set by anybody. What has begun ends.
    std::atomic<bool> const* stop = nullptr;
};

namespace forks {

// body(begin, end), which gives nothing, or a Result: after an error nothing more begins.
template <typename Body> class Loop {
  public:
    static constexpr bool may_fail =
        std::is_same_v<std::invoke_result_t<Body&, std::uint64_t, std::uint64_t>, Result<void>>;

    Loop(Body& body, LoopOptions const& options)
        : body_(body)
        , stop_(options.stop) {}

    void run(ForkCore& core, std::uint64_t begin, std::uint64_t end, Pace pace) {
        while (begin != end && !is_stopped()) {
            if (end - begin > pace.size() && pace.is_known() && core.has_none_to_steal()) {
                std::uint64_t const middle = begin + (end - begin) / 2;
                return core.both([&](ForkCore& its) { run(its, begin, middle, pace.of_part()); },
                                 [&](ForkCore& its) { run(its, middle, end, pace.of_part()); });
            }
            begin = pace.run(begin, end, [this](std::uint64_t from, std::uint64_t to) { call(from, to); });
            core.attend();
        }
    }
    [[nodiscard]] bool is_stopped() const {
        // relaxed: a wish, which orders nothing
        return has_failed_.load(std::memory_order_relaxed) ||
               (stop_ != nullptr && stop_->load(std::memory_order_relaxed));
    }
    Result<void> result() && {
        if (error_) return *error_;
        return {};
    }

  private:
    void call(std::uint64_t from, std::uint64_t to) {
        // Where the body throws.
        struct Ended {
            std::atomic<bool>& has_failed;
            bool is_well = false;
            ~Ended() {
                if (!is_well) has_failed.store(true, std::memory_order_relaxed);
            }
        } ended{has_failed_};
        if constexpr (may_fail) {
            if (Result<void> result = body_(from, to); result)
                ended.is_well = true;
            else if (!has_failed_.exchange(true, std::memory_order_relaxed)) // the first; the join orders it
                error_.emplace(std::move(result).error());
        } else {
            body_(from, to);
            ended.is_well = true;
        }
    }

    Body& body_;
    std::atomic<bool> const* stop_;
    std::atomic<bool> has_failed_{false};
    std::optional<Error> error_;
};

} // namespace forks

// body(first, end) for parts of begin to end, which are disjoint and are all of it. Bodies that give a Result<void>:
// gives the first error, after which nothing more begins; what a body throws is thrown here, likewise.
template <typename Body>
requires std::invocable<Body&, std::uint64_t, std::uint64_t>
auto parallel_for_ranges(std::uint64_t begin, std::uint64_t end, Body&& body, LoopOptions const& options = {}) {
    forks::Loop<std::remove_reference_t<Body>> loop(body, options);
    if (begin < end) forks::enter([&](ForkCore& core) { loop.run(core, begin, end, forks::Pace(options.grain)); });
    if constexpr (forks::Loop<std::remove_reference_t<Body>>::may_fail) return std::move(loop).result();
}

// body(i) for i from begin to end - 1, in any order. As above.
template <std::invocable<std::uint64_t> Body>
auto parallel_for(std::uint64_t begin, std::uint64_t end, Body&& body, LoopOptions const& options = {}) {
    if constexpr (std::is_same_v<std::invoke_result_t<Body&, std::uint64_t>, Result<void>>)
        return parallel_for_ranges(
            begin, end,
            [&](std::uint64_t from, std::uint64_t to) -> Result<void> {
                for (; from != to; ++from) MXK_TRY(body(from));
                return {};
            },
            options);
    else
        parallel_for_ranges(
            begin, end,
            [&](std::uint64_t from, std::uint64_t to) {
                for (; from != to; ++from) body(from);
            },
            options);
}

// A part of rows and columns.
struct Block2d {
    std::uint64_t row_begin, row_end, column_begin, column_end;
};

// body(Block2d) for blocks that are all of rows by columns, about as high as wide. `grain`: rows by columns that are
// not split further; 0: thirty-two blocks for each core.
template <std::invocable<Block2d const&> Body>
requires std::is_void_v<std::invoke_result_t<Body&, Block2d const&>>
void parallel_for_2d(std::uint64_t rows, std::uint64_t columns, Body&& body, LoopOptions const& options = {}) {
    struct Split {
        Body& body;
        std::uint64_t grain;
        std::atomic<bool> const* stop;
        void run(ForkCore& core, Block2d const& block) {
            if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
            std::uint64_t const height = block.row_end - block.row_begin;
            std::uint64_t const width = block.column_end - block.column_begin;
            if ((height == 1 && width == 1) || height <= grain / width) return static_cast<void>(body(block));
            Block2d first = block;
            Block2d second = block;
            if (height >= width)
                first.row_end = second.row_begin = block.row_begin + height / 2;
            else
                first.column_end = second.column_begin = block.column_begin + width / 2;
            core.both([&](ForkCore& its) { run(its, first); }, [&](ForkCore& its) { run(its, second); });
        }
    };
    if (rows == 0 || columns == 0) return;
    std::uint64_t const parts = 32 * std::max<std::uint64_t>(workers::count(), 1);
    std::uint64_t area = 0;
    if (__builtin_mul_overflow(rows, columns, &area)) area = ~std::uint64_t{0};
    std::uint64_t const grain = options.grain != 0 ? options.grain : std::max<std::uint64_t>(area / parts, 1);
    forks::enter([&](ForkCore& core) { Split{body, grain, options.stop}.run(core, {0, rows, 0, columns}); });
}

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

namespace forks {

inline void invoke(ForkCore& /*core*/) {}
template <typename First, typename... More> void invoke(ForkCore& core, First& first, More&... more) {
    if constexpr (sizeof...(More) == 0)
        first();
    else
        core.both([&](ForkCore&) { first(); }, [&](ForkCore& its) { invoke(its, more...); });
}

} // namespace forks

// Calls all of them, at the same time as far as cores are idle. What they throw is thrown here.
template <std::invocable... Functions> void parallel_invoke(Functions&&... functions) {
    forks::enter([&](ForkCore& core) { forks::invoke(core, functions...); });
}

} // namespace mxk
