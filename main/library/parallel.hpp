// Work on all cores for programs as they are: loops, sums, sorting, functions at the same time. See tasks/fork/.
//
//     auto runtime = mxk::Runtime::start({.own_threads = true});
//     mxk::parallel_for(0, prices.size(), [&](std::size_t i) { prices[i] *= 1.19; });
//     double const sum = mxk::parallel_reduce(0, prices.size(), 0.0, [&](std::size_t i) { return prices[i]; },
//                                             std::plus<>());
//     auto const sorted = mxk::parallel_sort(std::span(prices));
#pragma once

#include "main/library/runtime.hpp"
#include "tasks/fork/fork_group.hpp"
#include "tasks/fork/fork_place.hpp"
#include "tasks/fork/forked.hpp"
#include "tasks/fork/loops.hpp"
#include "tasks/fork/sorting.hpp"
#include "tasks/fork/sums.hpp"
