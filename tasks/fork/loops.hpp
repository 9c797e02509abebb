// Loops over all cores, by forks (fork_core.hpp). A loop's core runs it from the beginning, and
// forks half of what is left whenever nothing of it is left to steal ("lazy binary splitting": Tzannes and others,
// 2010): as often as other cores are idle, about, whatever the iterations cost.
//
// All of these: in a task, whose core serves no other meanwhile, but for static shares; or in any thread, which waits.
// Bodies run on any core, several at once, and wait for nothing but what they fork (fork_core.hpp). The caller sees
// what they wrote.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "tasks/fork/fork_failure.hpp"
#include "tasks/fork/pace.hpp"
#include "tasks/fork/shares.hpp"
#include "tasks/turn_limit.hpp"

namespace mxk {

struct LoopOptions {
    // Iterations that are not split further; 0: so many as take some microseconds, found out while they run.
    std::uint64_t grain = 0;
    // While it is true nothing more begins: to be set by anybody. What has begun ends.
    std::atomic<bool> const* stop = nullptr;
    // So long after the call nothing more begins; 0: no limit.
    Nanoseconds time_limit{0};
    // Each core has the same part in each call of the same caller, of equal size, and none is stolen: so what a core
    // has touched first lies with it, and is in its caches the next time. In a task its core goes on with other tasks
    // meanwhile. Within what is forked, and where many such tasks wait on a core already, it is an ordinary loop.
    bool static_shares = false;
};

namespace forks {

// body(begin, end), which gives nothing, or a Result: after an error nothing more begins.
template <typename Body> class Loop {
  public:
    static constexpr bool may_fail =
        std::is_same_v<std::invoke_result_t<Body&, std::uint64_t, std::uint64_t>, Result<void>>;
    // What the caller gets: the first error; or whether all of it has run.
    using Outcome = std::conditional_t<may_fail, Result<void>, bool>;

    Loop(Body& body, LoopOptions const& options)
        : body_(body)
        , options_(options)
        , limit_(options.time_limit != Nanoseconds{0} ? std::optional(TurnLimit(options.time_limit)) : std::nullopt) {}

    Outcome run(std::uint64_t begin, std::uint64_t end) {
        if (begin < end && !(options_.static_shares && run_static_shares(begin, end)))
            enter([&](ForkCore& core) { run_part(core, begin, end, Pace(options_.grain)); });
        if constexpr (may_fail) {
            if (error_) return *error_;
            if (is_cut_.load(std::memory_order_relaxed)) return Error("a loop was stopped before its end");
            return {};
        } else {
            return !is_cut_.load(std::memory_order_relaxed);
        }
    }

  private:
    void run_part(ForkCore& core, std::uint64_t begin, std::uint64_t end, Pace pace) {
        while (begin != end && goes_on()) {
            if (end - begin > pace.size() && pace.is_known() && core.has_none_to_steal()) {
                std::uint64_t const middle = begin + (end - begin) / 2;
                return core.both([&](ForkCore& its) { run_part(its, begin, middle, pace.of_part()); },
                                 [&](ForkCore& its) { run_part(its, middle, end, pace.of_part()); });
            }
            begin = run_piece(core, begin, end, pace);
        }
    }
    std::uint64_t run_piece(ForkCore& core, std::uint64_t begin, std::uint64_t end, Pace& pace) {
        begin = pace.run(begin, end, [this](std::uint64_t from, std::uint64_t to) { call(from, to); });
        core.attend();
        return begin;
    }
    // False: nothing has run.
    bool run_static_shares(std::uint64_t begin, std::uint64_t end) {
        ForkTrouble trouble;
        bool const has_run = on_each_core([&](ForkCore& core, std::size_t place, std::size_t count) {
            ForkFailure failure;
            failure.keep_from([&] {
                Pace pace(options_.grain);
                std::uint64_t const to = share_begin(begin, end, place + 1, count);
                for (std::uint64_t at = share_begin(begin, end, place, count); at != to && goes_on();)
                    at = run_piece(core, at, to, pace);
            });
            if (failure.is_kept()) trouble.keep(ForkTrouble::Kind::Thrown, failure);
        });
        trouble.throw_again();
        return has_run;
    }
    // Whether more may begin; if not, somebody is told that it did not.
    // relaxed: wishes, which order nothing
    bool goes_on() {
        if (!has_failed_.load(std::memory_order_relaxed) &&
            (options_.stop == nullptr || !options_.stop->load(std::memory_order_relaxed)) &&
            (!limit_ || !limit_->is_due())) [[likely]]
            return true;
        is_cut_.store(true, std::memory_order_relaxed);
        return false;
    }
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
    LoopOptions const& options_;
    std::optional<TurnLimit> limit_;
    std::atomic<bool> has_failed_{false};
    std::atomic<bool> is_cut_{false};
    std::optional<Error> error_;
};

} // namespace forks

// body(first, end) for parts of begin to end, which are disjoint and are all of it. True: all of it has run; false: it
// was stopped, or its time was over. Bodies that give a Result<void>: gives the first error, after which nothing more
// begins, or that it was stopped. What a body throws is thrown here, likewise.
template <typename Body>
requires std::invocable<Body&, std::uint64_t, std::uint64_t>
auto parallel_for_ranges(std::uint64_t begin, std::uint64_t end, Body&& body, LoopOptions const& options = {}) {
    return forks::Loop<std::remove_reference_t<Body>>(body, options).run(begin, end);
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
        return parallel_for_ranges(
            begin, end,
            [&](std::uint64_t from, std::uint64_t to) {
                for (; from != to; ++from) body(from);
            },
            options);
}

// What lies in regions, such as mxk::Table (hashtable/bulk/bulk_table.hpp).
template <typename Table>
concept InRegions = requires(Table const& table) {
    { table.region_count() } -> std::same_as<std::size_t>;
};

// visit(key, value) for every pair of a table, or visit(key) of a set: as its for_each(), several regions at the same
// time. It gives nothing, forks nothing, and does not call the table, a part of which it holds. `grain`: regions.
template <InRegions Table, typename Visit>
bool parallel_for(Table const& table, Visit&& visit, LoopOptions const& options = {}) {
    return parallel_for(
        0, table.region_count(),
        [&](std::uint64_t region) {
            table.for_each_of_region(region, [&visit](auto const&... pair) { visit(pair...); });
        },
        options);
}

// A part of rows and columns.
struct Block2d {
    std::uint64_t row_begin, row_end, column_begin, column_end;
};

namespace forks {

// Rows by columns, none of them 0, in blocks about as high as wide.
class Blocks {
  public:
    Blocks(std::uint64_t rows, std::uint64_t columns, std::uint64_t area)
        : rows_(rows)
        , columns_(columns) {
        std::uint64_t const side =
            std::max<std::uint64_t>(static_cast<std::uint64_t>(__builtin_sqrt(static_cast<double>(area))), 1);
        height_ = std::min(rows, std::max(side, area / std::min(side, columns)));
        width_ = std::min(columns, std::max<std::uint64_t>(area / height_, 1));
        across_ = (columns - 1) / width_ + 1;
    }
    [[nodiscard]] std::uint64_t count() const {
        std::uint64_t count = 0;
        bool const is_too_large = __builtin_mul_overflow((rows_ - 1) / height_ + 1, across_, &count);
        return is_too_large ? ~std::uint64_t{0} : count; // nobody comes to its end
    }
    [[nodiscard]] Block2d block(std::uint64_t number) const {
        std::uint64_t const row = number / across_ * height_;
        std::uint64_t const column = number % across_ * width_;
        return {row, row + std::min(height_, rows_ - row), column, column + std::min(width_, columns_ - column)};
    }

  private:
    std::uint64_t rows_, columns_, height_, width_, across_;
};

} // namespace forks

// body(Block2d) for blocks that are all of rows by columns. `grain`: rows by columns of a block; 0: thirty-two blocks
// for each core. As above.
template <std::invocable<Block2d const&> Body>
auto parallel_for_2d(std::uint64_t rows, std::uint64_t columns, Body&& body, LoopOptions options = {}) {
    std::uint64_t area = 0;
    if (__builtin_mul_overflow(rows, columns, &area)) area = ~std::uint64_t{0};
    std::uint64_t const parts = 32 * std::max<std::uint64_t>(workers::count(), 1);
    forks::Blocks const blocks(std::max<std::uint64_t>(rows, 1), std::max<std::uint64_t>(columns, 1),
                               options.grain != 0 ? options.grain : std::max<std::uint64_t>(area / parts, 1));
    options.grain = 1;
    return parallel_for(
        0, area == 0 ? 0 : blocks.count(), [&](std::uint64_t i) { return body(blocks.block(i)); }, options);
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
