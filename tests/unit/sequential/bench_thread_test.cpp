// What `bench thread` and `bench semaphore` are told and say: options, which cores, and rows from samples.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/frame/cost_experiment.hpp"
#include "bench/frame/report.hpp"
#include "bench/thread/thread_options.hpp"

namespace mxk::bench {
namespace {

template <typename Options, typename Schema>
std::string refusal(Schema const& schema, std::vector<std::string_view> const& words) {
    Options options;
    auto const parsed = console::parse(words, schema, options);
    return parsed.ok() ? "" : std::string(parsed.error().message());
}

TEST(ThreadCosts, a_slice_is_short_where_its_end_is_waited_for) {
    OwnThreadCosts options;
    EXPECT_EQ(options.slice_of(ThreadMeasure::Yield), 1000U);
    EXPECT_EQ(options.slice_of(ThreadMeasure::Preempt), 50U);
    std::vector<std::string_view> const words{"--slice", "10", "--measure", "preempt,yield", "--switches", "7"};
    ASSERT_TRUE(console::parse(words, thread_schema, options).ok());
    EXPECT_EQ(options.slice_of(ThreadMeasure::Yield), 10U);
    EXPECT_EQ(options.slice_of(ThreadMeasure::Preempt), 10U);
    EXPECT_EQ(options.switches, 7U);
    EXPECT_TRUE(options.measures.has(ThreadMeasure::Yield) && options.measures.has(ThreadMeasure::Preempt));
    EXPECT_FALSE(options.measures.has(ThreadMeasure::Wake));
    EXPECT_EQ(options.settings_of(ThreadMeasure::Wake).entries()[0].name, "slice_us");
}

TEST(ThreadCosts, what_cannot_be_is_refused) {
    auto const thread = [](auto const&... words) { return refusal<OwnThreadCosts>(thread_schema, {words...}); };
    EXPECT_NE(thread("--slice", "9").find("10"), std::string::npos);
    EXPECT_NE(thread("--slice", "1000001"), "");
    EXPECT_NE(thread("--switches", "1"), "");
    EXPECT_NE(thread("--measure", "crowd").find("wake-across"), std::string::npos);
    EXPECT_NE(thread("--semaphore", "fast"), "");
}

TEST(SemaphoreCosts, options) {
    OwnSemaphoreCosts options;
    std::vector<std::string_view> const words{"--semaphore", "syscall", "--threads", "3", "--measure", "crowd"};
    ASSERT_TRUE(console::parse(words, semaphore_schema, options).ok());
    EXPECT_EQ(options.kind, SemaphoreKind::Syscall);
    EXPECT_TRUE(options.measures.has(SemaphoreMeasure::Crowd));
    EXPECT_EQ(options.settings_of(SemaphoreMeasure::Crowd).entries().size(), 3U);
    EXPECT_EQ(options.settings_of(SemaphoreMeasure::PingPong).entries().size(), 2U);
    EXPECT_TRUE(options.SemaphoreCosts::settings_of(SemaphoreMeasure::PingPong).entries().empty()) << "a peer's";
    auto const semaphore = [](auto const&... more) { return refusal<OwnSemaphoreCosts>(semaphore_schema, {more...}); };
    EXPECT_NE(semaphore("--semaphore", "slow").find("fast"), std::string::npos);
    EXPECT_NE(semaphore("--threads", "0"), "");
    EXPECT_NE(semaphore("--measure", "wake").find("ping-pong-across"), std::string::npos);
}

TEST(CostMeasures, those_across_take_two_cores) {
    EXPECT_EQ(placement_of(ThreadMeasure::Yield), Placement::OneCore);
    EXPECT_EQ(placement_of(ThreadMeasure::Preempt), Placement::OneCore);
    EXPECT_EQ(placement_of(ThreadMeasure::Wake), Placement::OneCore);
    EXPECT_EQ(placement_of(ThreadMeasure::WakeAcross), Placement::TwoCores);
    EXPECT_EQ(placement_of(SemaphoreMeasure::Uncontended), Placement::OneCore);
    EXPECT_EQ(placement_of(SemaphoreMeasure::PingPong), Placement::OneCore);
    EXPECT_EQ(placement_of(SemaphoreMeasure::PingPongAcross), Placement::TwoCores);
    EXPECT_EQ(placement_of(SemaphoreMeasure::Crowd), Placement::OneCore);
    EXPECT_EQ(placement_of(SemaphoreMeasure::CrowdAcross), Placement::TwoCores);
}

TEST(CostMeasures, tab_offers_their_names) {
    console::Candidates candidates;
    candidates.start("w");
    std::array<std::string_view, 1> const before{"--measure"};
    console::complete_options(before, thread_schema, candidates);
    ASSERT_EQ(candidates.sorted().size(), 2U);
    EXPECT_EQ(candidates.sorted()[0].name, "wake");
    EXPECT_EQ(candidates.sorted()[1].name, "wake-across");
}

// A benchmark of one measure, for its rows.
class OneMeasure final : public Experiment {
  public:
    [[nodiscard]] Unit unit() const override { return Unit::CyclesPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return 1; }
    Result<void> run(std::size_t, std::span<Sample>, Progress&) override { return {}; }
    void print_head(TextSink&) const override {}
    void print_label_heading(TextSink&) const override {}
    void print_label(TextSink& out, Row const&) const override {
        print_cost_label(out, "uncontended", {core_id(0), core_id(0)});
    }
    void print_title(TextSink&, Row const&) const override {}
    void write_settings(JsonWriter&, Row const&) const override {}
};

TEST(CostRow, more_lines_say_what_was_found_besides) {
    OneMeasure const experiment;
    Row row{.value = {.n = 1, .median = 30}, .runs = 1, .operations = 100, .verified = true};
    row.findings.add("of_yield_pair", 0.25);
    FixedText<512> text;
    Report const report(text, "semaphore", experiment, false);
    report.print_row(row, row);
    std::string const shown(text.view());
    EXPECT_TRUE(shown.starts_with("uncontended ")) << shown;
    EXPECT_NE(shown.find(" -  "), std::string::npos) << "no p99: " << shown;
    EXPECT_TRUE(shown.ends_with("yes\n  of_yield_pair: 0.250\n")) << shown;
    row.p99 = 40;
    text.clear();
    report.print_row(row, row);
    EXPECT_NE(text.view().find(" 40.0 "), std::string_view::npos);
}

} // namespace
} // namespace mxk::bench
