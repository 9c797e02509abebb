// How the programs of `bench fork-join` fork: a small value that each runtime has, so that all run the same program.
// This file has the base, which forks nothing, and ours; peers/fork_*.cpp have others.
//
//     both(left, right)                left(its) and right(its), at the same time where the runtime likes; `its`: the
//                                      value to be used there
//     sum_of_each<max>(count, body)    the sum, by +=, of body(its, i) for i below `count`, which is 1 to `max`
//     sum(count, term)                 a loop: the sum of term(i), numbers of 64 bits
//     for_parts(count, body)           a loop: body(begin, end) for parts that are all of 0 to `count`
//     enter(function)                  function(its): around all of these but loops
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tasks/fork/sums.hpp"

namespace mxk::bench {

struct SerialForks {
    template <typename Left, typename Right> void both(Left&& left, Right&& right) {
        left(*this);
        right(*this);
    }
    template <std::size_t max, typename Body> auto sum_of_each(std::size_t count, Body&& body) {
        auto sum = body(*this, 0);
        for (std::size_t i = 1; i < count; ++i) sum += body(*this, i);
        return sum;
    }
    template <typename Term> static std::uint64_t sum(std::uint64_t count, Term&& term) {
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) sum += term(i);
        return sum;
    }
    template <typename Body> static void for_parts(std::uint64_t count, Body&& body) { body(0, count); }
    template <typename Function> void enter(Function&& function) { function(*this); }
};

class CoreForks {
  public:
    explicit CoreForks(ForkCore& core)
        : core_(&core) {}

    template <typename Left, typename Right> [[gnu::always_inline]] void both(Left&& left, Right&& right) {
        core_->both(
            [&](ForkCore& core) {
                CoreForks its(core);
                left(its);
            },
            [&](ForkCore& core) {
                CoreForks its(core);
                right(its);
            });
    }
    // By halves, so that what is stolen is large, and nothing for each of them lies on the stack.
    template <std::size_t max, typename Body> auto sum_of_each(std::size_t count, Body&& body) {
        return sum_of_range(*core_, 0, count, body);
    }
    template <typename Term> static std::uint64_t sum(std::uint64_t count, Term&& term) {
        return parallel_reduce(0, count, std::uint64_t{0}, term, std::plus<>());
    }
    template <typename Body> static void for_parts(std::uint64_t count, Body&& body) {
        parallel_for_ranges(0, count, body);
    }
    template <typename Function> void enter(Function&& function) { function(*this); }

  private:
    template <typename Body>
    static auto sum_of_range(ForkCore& core, std::size_t begin, std::size_t end, Body& body)
        -> decltype(body(std::declval<CoreForks&>(), begin)) {
        if (end - begin == 1) {
            CoreForks its(core);
            return body(its, begin);
        }
        std::size_t const middle = begin + (end - begin) / 2;
        decltype(body(std::declval<CoreForks&>(), begin)) left;
        decltype(left) right;
        core.both([&](ForkCore& its) { left = sum_of_range(its, begin, middle, body); },
                  [&](ForkCore& its) { right = sum_of_range(its, middle, end, body); });
        left += right;
        return left;
    }

    ForkCore* core_;
};

} // namespace mxk::bench
