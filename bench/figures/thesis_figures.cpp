// Figures 4.1 to 4.6 of the thesis, with its settings: 24 million inserts of chained tables with a tenth as many
// buckets, 100 tasks for each core, which take them from one queue, no prefetching. Curves that a statement sets beside
// each other differ in what the figure is about, and in nothing else (a test compares their rows). Curves that the
// thesis has not stand behind its own. Where a statement gives a number, it holds where the measured one lies between
// half of it and twice as much, or as the statement says.
#include <algorithm>
#include <array>

#include "bench/figures/figure.hpp"

namespace mxk::bench {
namespace {

using Kind = Bound::As;
constexpr double no_limit = Statement::no_limit;
using Value = std::optional<double>;
using Results = FigureResults const&;

Value quotient(Value dividend, Value divisor) {
    if (!dividend || !divisor) return std::nullopt;
    return *dividend / *divisor;
}

// By how much `series` is faster than `other`, as a ratio.
Value ratio(Results results, std::string_view series, std::string_view other, std::size_t cores) {
    return quotient(results.throughput(series, cores), results.throughput(other, cores));
}

// The mean over the numbers of cores that were measured, from `first` to `last`.
Value mean_ratio(Results results, std::string_view series, std::string_view other, std::size_t first = 1,
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
Value scaling(Results results, std::string_view series, std::size_t cores, std::size_t fewer) {
    return quotient(results.throughput(series, cores), results.throughput(series, fewer));
}

// From one node of the thesis' machine to two of them: the lower one of 12 and 16 cores by that on 8.
Value beyond_one_node(Results results, std::string_view series) {
    auto const twelve = scaling(results, series, 12, 8);
    auto const sixteen = scaling(results, series, 16, 8);
    if (!twelve || !sixteen) return std::nullopt;
    return std::min(*twelve, *sixteen);
}

constexpr std::array share_curves{Series{"0.01", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.01"},
                                  Series{"0.02", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.02"},
                                  Series{"0.05", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.05"},
                                  Series{"0.1", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
                                  Series{"0.2", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.2"},
                                  Series{"0.5", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.5"},
                                  Series{"1", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 1"}};
constexpr std::array share_statements{
    Statement{"more buckets, more throughput: the smallest step from one share to the next, mean over cores", "buckets",
              Kind::Ratio, 0.95, no_limit,
              [](Results results) {
                  Value smallest;
                  for (std::size_t i = 1; i < share_curves.size(); ++i) {
                      auto const step = mean_ratio(results, share_curves[i].name, share_curves[i - 1].name);
                      if (!step) return Value();
                      smallest = std::min(smallest.value_or(*step), *step);
                  }
                  return smallest;
              }},
    Statement{"10 keys in a bucket in place of 100: a multiple of the throughput", "buckets", Kind::Ratio, 2, no_limit,
              [](Results results) { return mean_ratio(results, "0.1", "0.01"); }}};

constexpr std::array task_count_curves{
    Series{"4 tasks", "--queue shared --tasks-per-core 4 --prefetch 0 --buckets 0.1"},
    Series{"100 tasks", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"100 tasks, by owner", "--queue owner --tasks-per-core 100 --prefetch 0 --buckets 0.1"}};
constexpr std::array task_count_statements{
    Statement{"100 tasks per core: +15 % on average", "tasks_per_core", Kind::Change, 0.075, 0.30,
              [](Results results) { return change(mean_ratio(results, "100 tasks", "4 tasks")); }},
    Statement{"a sharp drop at 12 and 16 cores: the lower one by 8 cores, 100 tasks", "", Kind::Ratio, 0, 0.9,
              [](Results results) { return beyond_one_node(results, "100 tasks"); }}};

// The thesis' slices are not aligned to cache lines, which it says, and suspects to be false sharing.
constexpr std::array queue_curves{
    Series{"shared", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"per core", "--queue per-core --slices packed --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"per core, aligned", "--queue per-core --slices lines --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"node-local", "--queue node-local --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"by owner", "--queue owner --tasks-per-core 100 --prefetch 0 --buckets 0.1"}};
constexpr std::array queue_statements{
    Statement{"an instruction pointer for each core takes away much of the drop: 16 cores by 8, against a shared one",
              "queue slices", Kind::Ratio, 1.1, no_limit,
              [](Results results) {
                  return quotient(beyond_one_node(results, "per core"), beyond_one_node(results, "shared"));
              }},
    Statement{"little is gained from the second node: 16 cores by 8, a pointer for each core", "", Kind::Ratio, 0.8,
              1.4, [](Results results) { return scaling(results, "per core", 16, 8); }},
    Statement{"false sharing, which the thesis suspects, costs throughput: packed slices by aligned ones, mean over "
              "2 and more cores",
              "slices", Kind::Ratio, 0, 0.95,
              [](Results results) { return mean_ratio(results, "per core", "per core, aligned", 2); }}};

// The thesis' semaphores are syscall tasks. Where a build has none, statements are about MXK's fast ones.
constexpr std::array model_curves{
    Series{"tasks", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"threads, syscalls", "--model threads --semaphore syscall --queue shared --threads-per-core 1 --buckets 0.1",
           true},
    Series{"threads, semaphores", "--model threads --semaphore fast --queue shared --threads-per-core 1 --buckets 0.1"},
    Series{"threads without", "--model threads-unsafe --queue shared --threads-per-core 1 --buckets 0.1"},
    Series{"threads, by owner", "--model threads --semaphore fast --queue owner --threads-per-core 1 --buckets 0.1"}};
std::string_view with_semaphores(Results results) {
    std::uint32_t const first = results.core_counts().front();
    return results.throughput("threads, syscalls", first) ? "threads, syscalls" : "threads, semaphores";
}
constexpr std::array model_statements{
    Statement{"threads with semaphores: half of the tasks, on one core", "model semaphore", Kind::Ratio, 0.35, 0.65,
              [](Results results) { return ratio(results, with_semaphores(results), "tasks", 1); }},
    Statement{"threads with semaphores: half of the tasks, mean over cores", "model semaphore", Kind::Ratio, 0.35, 0.65,
              [](Results results) { return mean_ratio(results, with_semaphores(results), "tasks"); }},
    Statement{"threads without semaphores: twice those with, mean over cores", "model semaphore", Kind::Ratio, 1.5, 2.5,
              [](Results results) { return mean_ratio(results, "threads without", with_semaphores(results)); }},
    Statement{"threads without semaphores: like the tasks up to 8 cores", "model", Kind::Ratio, 0.8, 1.2,
              [](Results results) { return mean_ratio(results, "threads without", "tasks", 1, 8); }},
    Statement{"threads without semaphores lose up to 100 entries, on more than one core", "", Kind::Count, 1, 100,
              [](Results results) -> Value {
                  Value lost;
                  for (std::uint32_t const cores : results.core_counts()) {
                      auto const here = results.lost("threads without", cores);
                      if (cores > 1 && here) lost = std::max(lost.value_or(0), static_cast<double>(*here));
                  }
                  return lost;
              }},
    Statement{"on one node tasks are faster than threads with semaphores: tasks by threads, 8 cores", "model semaphore",
              Kind::Ratio, 1, no_limit,
              [](Results results) { return ratio(results, "tasks", with_semaphores(results), 8); }},
    Statement{"threads with semaphores go on scaling where tasks fall: 16 cores by 8, against tasks", "model semaphore",
              Kind::Ratio, 1.1, no_limit, [](Results results) {
                  return quotient(scaling(results, with_semaphores(results), 16, 8), scaling(results, "tasks", 16, 8));
              }}};

// The first curve is that of the tasks of 4.4.
constexpr std::array per_core_curves{
    Series{"tasks", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"per core", "--queue per-core --slices packed --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"by owner", "--queue owner --tasks-per-core 100 --prefetch 0 --buckets 0.1"}};
constexpr std::array per_core_statements{
    Statement{"the same throughput of a core with 12 and 16 cores: 16 by 12", "", Kind::Ratio, 0.9, 1.1,
              [](Results results) { return quotient(scaling(results, "tasks", 16, 12), 16.0 / 12); }}};

constexpr std::array layout_curves{
    Series{"chained", "--queue shared --tasks-per-core 100 --prefetch 0 --buckets 0.1"},
    Series{"open", "--layout open --probe travel --queue shared --tasks-per-core 100 --prefetch 0 --buckets 2"},
    Series{"open, by owner",
           "--layout open --probe travel --queue owner --tasks-per-core 100 --prefetch 0 --buckets 2"}};
constexpr std::array layout_statements{
    Statement{"open addressing is faster on one core", "layout probe buckets", Kind::Ratio, 1, no_limit,
              [](Results results) { return ratio(results, "open", "chained", 1); }},
    Statement{"open addressing gains less from cores: its speed-up by that of chaining", "layout probe buckets",
              Kind::Ratio, 0, 1, [](Results results) -> Value {
                  if (results.core_counts().size() < 2) return std::nullopt;
                  std::uint32_t const all = results.core_counts().back();
                  return quotient(scaling(results, "open", all, 1), scaling(results, "chained", all, 1));
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
