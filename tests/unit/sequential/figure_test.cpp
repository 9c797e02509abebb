// What the thesis says of its figures, judged by results that are made up here.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bench/figures/figure.hpp"
#include "bench/table/table_options.hpp"
#include "kernel/console/words.hpp"

namespace mxk::bench {
namespace {

class MadeUp final : public FigureResults {
  public:
    explicit MadeUp(std::vector<std::uint32_t> counts)
        : counts_(std::move(counts)) {}

    // On each number of cores, in their order.
    MadeUp& curve(std::string_view series, std::vector<double> const& values) {
        for (std::size_t i = 0; i < values.size(); ++i) values_[{std::string(series), counts_[i]}] = values[i];
        return *this;
    }
    MadeUp& loses(std::string_view series, std::size_t cores, std::uint64_t entries) {
        lost_[{std::string(series), cores}] = entries;
        return *this;
    }

    [[nodiscard]] std::optional<double> throughput(std::string_view series, std::size_t cores) const override {
        return at(values_, series, cores);
    }
    [[nodiscard]] std::optional<std::uint64_t> lost(std::string_view series, std::size_t cores) const override {
        return at(lost_, series, cores);
    }
    [[nodiscard]] std::span<std::uint32_t const> core_counts() const override { return counts_; }

  private:
    using Key = std::pair<std::string, std::size_t>;
    template <typename T>
    static std::optional<T> at(std::map<Key, T> const& map, std::string_view series, std::size_t cores) {
        auto const found = map.find({std::string(series), cores});
        return found == map.end() ? std::nullopt : std::optional(found->second);
    }

    std::vector<std::uint32_t> counts_;
    std::map<Key, double> values_;
    std::map<Key, std::uint64_t> lost_;
};

Figure const& figure(std::string_view number) {
    for (Figure const& one : thesis_figures())
        if (one.number == number) return one;
    ADD_FAILURE() << "no figure " << number;
    return thesis_figures().front();
}

// "yes", "no" or "unknown", of each statement.
std::vector<std::string> judged(std::string_view number, MadeUp const& results) {
    std::vector<std::string> all;
    for (Statement const& statement : figure(number).statements) {
        auto const value = statement.value(results);
        all.emplace_back(!value ? "unknown" : statement.bound().holds(*value) ? "yes" : "no");
    }
    return all;
}

using Judged = std::vector<std::string>;

TEST(FigureTest, every_curve_is_something_that_bench_table_takes) {
    for (Figure const& one : thesis_figures())
        for (Series const& series : one.series) {
            console::Words words;
            ASSERT_TRUE(words.split(series.options).ok());
            TableOptions options;
            EXPECT_TRUE(console::parse(words.all(), table_schema, options).ok()) << one.number << " " << series.name;
        }
}

TEST(FigureTest, more_buckets_have_to_bring_more) {
    MadeUp rising({1, 2});
    double value = 0;
    for (Series const& series : figure("4.1").series) {
        ++value;
        rising.curve(series.name, {value, value + 1});
    }
    EXPECT_EQ(judged("4.1", rising), (Judged{"yes", "yes"}));
    rising.curve("0.1", {1, 1});
    EXPECT_EQ(judged("4.1", rising), (Judged{"no", "no"}));
}

TEST(FigureTest, a_mean_is_over_what_was_measured_and_a_drop_needs_the_second_node) {
    EXPECT_EQ(judged("4.2", MadeUp({1, 2}).curve("4 tasks", {10, 10}).curve("100 tasks", {12, 11})),
              (Judged{"yes", "unknown"}));
    EXPECT_EQ(judged("4.2", MadeUp({1, 2}).curve("4 tasks", {10, 10}).curve("100 tasks", {10, 10})),
              (Judged{"no", "unknown"}));
    EXPECT_EQ(judged("4.2", MadeUp({8, 12, 16}).curve("4 tasks", {10, 5, 5}).curve("100 tasks", {12, 6, 7})),
              (Judged{"yes", "yes"}));
    EXPECT_EQ(judged("4.2", MadeUp({8, 12, 16}).curve("4 tasks", {10, 5, 5}).curve("100 tasks", {12, 14, 16})),
              (Judged{"no", "no"}));
}

TEST(FigureTest, a_pointer_for_each_core_is_compared_with_a_shared_one) {
    MadeUp const thesis = MadeUp({8, 12, 16}).curve("shared", {10, 6, 5}).curve("per core", {10, 9, 10});
    EXPECT_EQ(judged("4.3", thesis), (Judged{"yes", "yes", "unknown"}));
    EXPECT_EQ(judged("4.3", MadeUp({8, 12, 16}).curve("shared", {10, 9, 10}).curve("per core", {10, 15, 20})),
              (Judged{"yes", "no", "unknown"}));
    EXPECT_EQ(judged("4.3", MadeUp({1, 2}).curve("shared", {1, 1}).curve("per core", {1, 1})),
              (Judged{"unknown", "unknown", "unknown"}));
}

TEST(FigureTest, packed_slices_are_compared_with_aligned_ones_where_cores_can_share_a_line) {
    auto const with_packed = [](std::vector<double> const& packed) {
        return judged("4.3", MadeUp({1, 2, 4}).curve("per core, aligned", {10, 20, 40}).curve("per core", packed))
            .back();
    };
    EXPECT_EQ(with_packed({10, 18, 30}), "yes");
    EXPECT_EQ(with_packed({1, 20, 40}), "no"); // one core shares none
    EXPECT_EQ(judged("4.3", MadeUp({1}).curve("per core, aligned", {10}).curve("per core", {1})).back(), "unknown");
}

TEST(FigureTest, threads_are_set_beside_tasks_and_what_they_lose_is_counted) {
    auto const thesis = [](std::string_view with = "threads, semaphores") {
        return MadeUp({1, 2})
            .curve("tasks", {10, 20})
            .curve(with, {5, 10})
            .curve("threads without", {10, 20})
            .loses("threads without", 1, 0)
            .loses("threads without", 2, 40);
    };
    Judged const all{"yes", "yes", "yes", "yes", "yes", "unknown", "unknown"};
    EXPECT_EQ(judged("4.4", thesis()), all);
    EXPECT_EQ(judged("4.4", thesis("threads, syscalls")), all);
    EXPECT_EQ(judged("4.4", thesis("threads, syscalls").curve("threads, semaphores", {10, 20})), all)
        << "the thesis' are syscalls";
    EXPECT_EQ(judged("4.4", thesis().loses("threads without", 2, 0)),
              (Judged{"yes", "yes", "yes", "yes", "no", "unknown", "unknown"}));
    EXPECT_EQ(judged("4.4", thesis().curve("threads, semaphores", {10, 20})),
              (Judged{"no", "no", "no", "yes", "yes", "unknown", "unknown"}));
}

TEST(FigureTest, on_two_nodes_threads_go_on_scaling_where_tasks_fall) {
    auto const last = [](std::vector<double> const& tasks, std::vector<double> const& threads) {
        Judged const all = judged("4.4", MadeUp({8, 16}).curve("tasks", tasks).curve("threads, semaphores", threads));
        return Judged{all[5], all[6]};
    };
    EXPECT_EQ(last({20, 12}, {10, 15}), (Judged{"yes", "yes"}));
    EXPECT_EQ(last({9, 18}, {10, 15}), (Judged{"no", "no"}));
}

TEST(FigureTest, cores_are_alike_where_sixteen_do_as_much_each_as_twelve) {
    EXPECT_EQ(judged("4.5", MadeUp({12, 16}).curve("tasks", {12, 16})), Judged{"yes"});
    EXPECT_EQ(judged("4.5", MadeUp({12, 16}).curve("tasks", {12, 12})), Judged{"no"});
    EXPECT_EQ(judged("4.5", MadeUp({1, 2}).curve("tasks", {1, 2})), Judged{"unknown"});
}

TEST(FigureTest, layouts_are_compared_on_one_core_and_by_their_speed_up) {
    EXPECT_EQ(judged("4.6", MadeUp({1, 2}).curve("chained", {10, 20}).curve("open", {12, 14})), (Judged{"yes", "yes"}));
    EXPECT_EQ(judged("4.6", MadeUp({1, 2}).curve("chained", {10, 20}).curve("open", {9, 27})), (Judged{"no", "no"}));
    EXPECT_EQ(judged("4.6", MadeUp({1}).curve("chained", {10}).curve("open", {12})), (Judged{"yes", "unknown"}));
}

TEST(FigureTest, what_is_expected_is_said_in_the_unit_of_the_statement) {
    auto const expected = [](Bound::As as, double low, double high) {
        FixedText<64> text;
        Statement{.says = "", .varies = "", .as = as, .low = low, .high = high, .value = nullptr}.bound().print(text);
        return std::string(text.view());
    };
    EXPECT_EQ(expected(Bound::As::Change, 0.075, 0.3), "+7.5 % to +30.0 %");
    EXPECT_EQ(expected(Bound::As::Ratio, 0, 0.9), "up to 0.90");
    EXPECT_EQ(expected(Bound::As::Ratio, 2, Bound::none), "2.00 or more");
    EXPECT_EQ(expected(Bound::As::Count, 1, 100), "1 to 100");
}

} // namespace
} // namespace mxk::bench
