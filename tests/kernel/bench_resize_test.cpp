// `bench resize` on real cores, small: both tables double under look-ups, and tables that do not do what they must are
// found out.
#include <algorithm>
#include <optional>
#include <utility>

#include "bench/rcu/doubling_tables.hpp"
#include "bench/rcu/resize_run.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t some_keys = 5000;

template <typename Table> std::optional<ResizeOutcome> resize_once() {
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    Progress progress(invocation);
    auto const cores = all_cores();
    auto const outcome = run_resize<Table>({.cores = cores.span().first(std::min<std::size_t>(cores.size(), 4)),
                                            .keys = some_keys,
                                            .load = Table::default_load,
                                            .min_time = Nanoseconds{1'000'000},
                                            .seed = 1,
                                            .progress = progress});
    MXK_CHECK(outcome.ok());
    return outcome.ok() ? std::optional(outcome.value()) : std::nullopt;
}

template <typename Table> void doubles_under_look_ups() {
    auto const outcome = resize_once<Table>();
    if (!outcome) return;
    MXK_CHECK(outcome->has_doubled);
    MXK_CHECK_EQUAL(outcome->buckets_after, 2 * outcome->buckets_before);
    MXK_CHECK(outcome->has_content);
    for (LookUpPhase const& phase : {outcome->quiet, outcome->growing}) {
        MXK_CHECK_EQUAL(phase.wrong, 0);
        MXK_CHECK(phase.latency.count > 0);
        MXK_CHECK(phase.latency.p50 <= phase.latency.p99 && phase.latency.p99 <= phase.latency.max);
    }
    MXK_CHECK(outcome->quiet.time >= outcome->growing.time);
    MXK_CHECK(outcome->quiet.time >= clock::to_cycles(Nanoseconds{1'000'000}));
}

MXK_TEST(bench_resize, chains_double_under_look_ups) {
    doubles_under_look_ups<DoublingChains>();
}

MXK_TEST(bench_resize, lines_double_under_look_ups) {
    doubles_under_look_ups<DoublingLines>();
}

struct StayingTable : DoublingChains {
    using DoublingChains::DoublingChains;
    Result<void> double_now(Progress&) override { return {}; }
};

MXK_TEST(bench_resize, a_table_that_has_not_doubled_is_found_out) {
    auto const outcome = resize_once<StayingTable>();
    if (!outcome) return;
    MXK_CHECK(!outcome->has_doubled);
    MXK_CHECK(outcome->has_content);
    MXK_CHECK_EQUAL(outcome->quiet.wrong, 0);
}

// Twice, where it was asked for one.
struct QuadrupledTable : DoublingChains {
    using DoublingChains::DoublingChains;
    Result<void> double_now(Progress& progress) override {
        MXK_TRY(DoublingChains::double_now(progress));
        return DoublingChains::double_now(progress);
    }
};

MXK_TEST(bench_resize, a_table_that_has_doubled_twice_is_found_out) {
    auto const outcome = resize_once<QuadrupledTable>();
    if (!outcome) return;
    MXK_CHECK(!outcome->has_doubled);
    MXK_CHECK_EQUAL(outcome->buckets_after, 4 * outcome->buckets_before);
}

// Has lost one key when it has grown, which a look-up hardly meets.
struct LosingTable : DoublingLines {
    using DoublingLines::DoublingLines;
    [[nodiscard]] Task::Body look_up() const override { return &LookUpTask::look_up<LosingTable>; }
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const override {
        return key == some_keys && has_grown ? std::nullopt : DoublingLines::find(key);
    }
    Result<void> double_now(Progress& progress) override {
        MXK_TRY(DoublingLines::double_now(progress));
        has_grown = true;
        return {};
    }
    std::atomic<bool> has_grown{false};
};

MXK_TEST(bench_resize, a_table_that_loses_a_key_is_found_out) {
    auto const outcome = resize_once<LosingTable>();
    if (!outcome) return;
    MXK_CHECK(outcome->has_doubled);
    MXK_CHECK(!outcome->has_content);
}

// One too many, which no look-up asks for.
struct CrowdedTable : DoublingChains {
    using DoublingChains::DoublingChains;
    Result<void> double_now(Progress& progress) override {
        insert(some_keys + 1, 1);
        return DoublingChains::double_now(progress);
    }
};

MXK_TEST(bench_resize, a_table_with_a_key_too_many_is_found_out) {
    auto const outcome = resize_once<CrowdedTable>();
    if (!outcome) return;
    MXK_CHECK(!outcome->has_content);
    MXK_CHECK_EQUAL(outcome->growing.wrong, 0);
}

// Half of its keys have another one's value.
struct ConfusedTable : DoublingChains {
    using DoublingChains::DoublingChains;
    [[nodiscard]] Task::Body look_up() const override { return &LookUpTask::look_up<ConfusedTable>; }
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const override {
        return DoublingChains::find(key | 1);
    }
};

MXK_TEST(bench_resize, look_ups_with_wrong_values_are_counted) {
    auto const outcome = resize_once<ConfusedTable>();
    if (!outcome) return;
    MXK_CHECK(outcome->growing.wrong > 0);
    MXK_CHECK(outcome->quiet.wrong > 0);
    MXK_CHECK(!outcome->has_content);
}

} // namespace
} // namespace mxk::bench
