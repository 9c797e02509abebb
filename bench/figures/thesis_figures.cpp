// Figures 4.1 to 4.6 of the thesis. Where a statement gives a number, it holds where the measured one lies between half
// of it and twice as much, or as the statement says.
#include <algorithm>
#include <array>

#include "bench/figures/figure.hpp"

namespace mxk::bench {
namespace {

using Kind = Bound::As;
constexpr double no_limit = Statement::no_limit;
using Value = std::optional<double>;

// By how much `series` is faster than `other`, as a ratio.
Value ratio(FigureResults const& results, std::size_t series, std::size_t other, std::size_t cores) {
    auto const a = results.throughput(series, cores);
    auto const b = results.throughput(other, cores);
    if (!a || !b) return std::nullopt;
    return *a / *b;
}

// The mean over the numbers of cores that were measured, from `first` to `last`.
Value mean_ratio(FigureResults const& results, std::size_t series, std::size_t other, std::size_t first = 1,
                 std::size_t last = 16) {
    double sum = 0;
    std::size_t count = 0;
    for (std::uint32_t const cores : results.core_counts()) {
        if (cores < first || cores > last) continue;
        auto const one = ratio(results, series, other, cores);
        if (!one) continue;
        sum += *one;
        ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
}

Value change(Value ratio) {
    if (!ratio) return ratio;
    return *ratio - 1;
}

// The throughput on `cores` by that on `fewer`.
Value scaling(FigureResults const& results, std::size_t series, std::size_t cores, std::size_t fewer) {
    auto const many = results.throughput(series, cores);
    auto const few = results.throughput(series, fewer);
    if (!many || !few) return std::nullopt;
    return *many / *few;
}

// From one node of the thesis' machine to two of them: the lower one of 12 and 16 cores by that on 8.
Value beyond_one_node(FigureResults const& results, std::size_t series) {
    auto const twelve = scaling(results, series, 12, 8);
    auto const sixteen = scaling(results, series, 16, 8);
    if (!twelve || !sixteen) return std::nullopt;
    return std::min(*twelve, *sixteen);
}

// Bucket shares.
constexpr std::array share_curves{Series{"0.01", "--buckets 0.01"}, Series{"0.02", "--buckets 0.02"},
                                  Series{"0.05", "--buckets 0.05"}, Series{"0.1", "--buckets 0.1"},
                                  Series{"0.2", "--buckets 0.2"},   Series{"0.5", "--buckets 0.5"},
                                  Series{"1", "--buckets 1"}};
constexpr std::array share_statements{
    Statement{"more buckets, more throughput: the smallest step from one share to the next, mean over cores",
              Kind::Ratio, 0.95, no_limit,
              [](FigureResults const& results) {
                  Value smallest;
                  for (std::size_t i = 1; i < share_curves.size(); ++i) {
                      auto const step = mean_ratio(results, i, i - 1);
                      if (!step) return Value();
                      smallest = std::min(smallest.value_or(*step), *step);
                  }
                  return smallest;
              }},
    Statement{"10 keys in a bucket in place of 100: a multiple of the throughput", Kind::Ratio, 2, no_limit,
              [](FigureResults const& results) { return mean_ratio(results, 3, 0); }}};

constexpr std::array task_count_curves{Series{"4 tasks", "--tasks-per-core 4"},
                                       Series{"100 tasks", "--tasks-per-core 100"},
                                       Series{"100 tasks, by owner", "--tasks-per-core 100 --queue owner"}};
constexpr std::array task_count_statements{
    Statement{"100 tasks per core: +15 % on average", Kind::Change, 0.075, 0.30,
              [](FigureResults const& results) { return change(mean_ratio(results, 1, 0)); }},
    Statement{"a sharp drop at 12 and 16 cores: the lower one by 8 cores, 100 tasks", Kind::Ratio, 0, 0.9,
              [](FigureResults const& results) { return beyond_one_node(results, 1); }}};

constexpr std::array queue_curves{Series{"shared", "--queue shared"}, Series{"per core", "--queue per-core"},
                                  Series{"node-local", "--queue node-local"},
                                  Series{"per core, packed", "--queue per-core --slices packed"},
                                  Series{"by owner", "--queue owner"}};
constexpr std::array queue_statements{
    Statement{"an instruction pointer for each core takes away much of the drop: 16 cores by 8, against a shared one",
              Kind::Ratio, 1.1, no_limit,
              [](FigureResults const& results) -> Value {
                  auto const own = beyond_one_node(results, 1);
                  auto const shared = beyond_one_node(results, 0);
                  if (!own || !shared) return std::nullopt;
                  return *own / *shared;
              }},
    Statement{"little is gained from the second node: 16 cores by 8, a pointer for each core", Kind::Ratio, 0.8, 1.4,
              [](FigureResults const& results) { return scaling(results, 1, 16, 8); }},
    Statement{"false sharing, which the thesis suspects, costs throughput: packed slices by aligned ones, mean over "
              "2 and more cores",
              Kind::Ratio, 0, 0.95, [](FigureResults const& results) { return mean_ratio(results, 3, 1, 2); }}};

constexpr std::array model_curves{Series{"tasks", ""}, Series{"threads, semaphores", "--model threads"},
                                  Series{"threads without", "--model threads-unsafe"},
                                  Series{"threads, by owner", "--model threads --queue owner"}};
constexpr std::array model_statements{
    Statement{"threads with semaphores: half of the tasks, on one core", Kind::Ratio, 0.35, 0.65,
              [](FigureResults const& results) { return ratio(results, 1, 0, 1); }},
    Statement{"threads with semaphores: half of the tasks, mean over cores", Kind::Ratio, 0.35, 0.65,
              [](FigureResults const& results) { return mean_ratio(results, 1, 0); }},
    Statement{"threads without semaphores: twice those with, mean over cores", Kind::Ratio, 1.5, 2.5,
              [](FigureResults const& results) { return mean_ratio(results, 2, 1); }},
    Statement{"threads without semaphores: like the tasks up to 8 cores", Kind::Ratio, 0.8, 1.2,
              [](FigureResults const& results) { return mean_ratio(results, 2, 0, 1, 8); }},
    Statement{"threads without semaphores lose up to 100 entries, on more than one core", Kind::Count, 1, 100,
              [](FigureResults const& results) -> Value {
                  Value lost;
                  for (std::uint32_t const cores : results.core_counts()) {
                      auto const here = results.lost(2, cores);
                      if (cores > 1 && here) lost = std::max(lost.value_or(0), static_cast<double>(*here));
                  }
                  return lost;
              }}};

constexpr std::array per_core_curves{Series{"tasks", "--queue per-core"}, Series{"by owner", "--queue owner"}};
constexpr std::array per_core_statements{Statement{"the same throughput of a core with 12 and 16 cores: 16 by 12",
                                                   Kind::Ratio, 0.9, 1.1, [](FigureResults const& results) -> Value {
                                                       auto const both = scaling(results, 0, 16, 12);
                                                       if (!both) return both;
                                                       return *both * 12 / 16;
                                                   }}};

constexpr std::array layout_curves{Series{"chained", ""}, Series{"open", "--layout open --probe travel --buckets 2"},
                                   Series{"open, by owner", "--layout open --probe travel --buckets 2 --queue owner"}};
constexpr std::array layout_statements{
    Statement{"open addressing is faster on one core", Kind::Ratio, 1, no_limit,
              [](FigureResults const& results) { return ratio(results, 1, 0, 1); }},
    Statement{"open addressing gains less from cores: its speed-up by that of chaining", Kind::Ratio, 0, 1,
              [](FigureResults const& results) -> Value {
                  if (results.core_counts().size() < 2) return std::nullopt;
                  std::uint32_t const all = results.core_counts().back();
                  auto const open = scaling(results, 1, all, 1);
                  auto const chained = scaling(results, 0, all, 1);
                  if (!open || !chained) return std::nullopt;
                  return *open / *chained;
              }}};

constexpr std::array figures{
    Figure{.number = "4.1",
           .title = "shares of buckets in operations",
           .series = share_curves,
           .statements = share_statements,
           .operations = 4'800'000},
    Figure{.number = "4.2",
           .title = "4 and 100 tasks for each core",
           .series = task_count_curves,
           .statements = task_count_statements},
    Figure{.number = "4.3",
           .title = "one instruction pointer for all, or one for each core",
           .series = queue_curves,
           .statements = queue_statements},
    Figure{.number = "4.4",
           .title = "tasks, and threads with and without semaphores",
           .series = model_curves,
           .statements = model_statements},
    Figure{.number = "4.5",
           .title = "throughput of each core, tasks",
           .series = per_core_curves,
           .statements = per_core_statements,
           .is_per_core = true},
    Figure{.number = "4.6",
           .title = "chaining and open addressing, tasks",
           .series = layout_curves,
           .statements = layout_statements},
};

} // namespace

std::span<Figure const> thesis_figures() {
    return figures;
}

} // namespace mxk::bench
