// The experiments of Bobox' thesis: their commands, and when a measured quotient says that a statement holds.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bench/figures/bobox.hpp"
#include "kernel/console/command_tree.hpp"
#include "kernel/console/words.hpp"

namespace mxk::bench {
namespace {

TEST(BoboxTest, every_part_is_a_command_and_says_how_much_it_does) {
    std::set<std::string> numbers;
    for (BoboxExperiment const& experiment : bobox_experiments()) {
        numbers.insert(std::string(experiment.number));
        EXPECT_FALSE(experiment.statements.empty()) << experiment.number;
        EXPECT_EQ(experiment.parts.empty(), !experiment.not_built.empty()) << experiment.number;
        for (BoboxPart const& part : experiment.parts) {
            BoboxOptions options;
            options.cores.add({.numbers = {1}, .text = "1"});
            FixedText<400> command;
            print_bobox_command(command, experiment, part, options);
            console::Words words;
            ASSERT_TRUE(words.split(command.view()).ok());
            auto const found = console::find_command(words.all());
            ASSERT_NE(found.command->check, nullptr) << command.view();
            auto const checked = found.command->check(found.rest);
            // Only the program with the peers has other allocators.
            if (!checked.ok()) EXPECT_NE(checked.error().message().find("'glibc'"), std::string_view::npos);
        }
    }
    EXPECT_EQ(numbers.size(), 24U);
}

TEST(BoboxTest, a_quotient_is_as_uncertain_as_both_together) {
    Estimate const one{10, 9, 11};
    auto const by_certain = one.by({5, 5, 5});
    ASSERT_TRUE(by_certain);
    EXPECT_DOUBLE_EQ(by_certain->value, 2);
    EXPECT_NEAR(by_certain->low, 1.8, 1e-9);
    EXPECT_NEAR(by_certain->high, 2.2, 1e-9);
    auto const by_other = one.by({5, 4, 6});
    ASSERT_TRUE(by_other);
    EXPECT_NEAR(by_other->high, 2 + 2 * 0.2236, 1e-3); // the root of 0.1 and 0.2 squared and added
    EXPECT_EQ(one.by({0, 0, 0}), std::nullopt);
    EXPECT_EQ(Estimate{}.by(one), std::nullopt);
}

TEST(BoboxTest, what_an_interval_reaches_over_is_not_told) {
    constexpr Bound one_or_more{.low = 1};
    EXPECT_EQ((Estimate{1.2, 1.1, 1.3}).lies_in(one_or_more), true);
    EXPECT_EQ((Estimate{1.2, 0.9, 1.5}).lies_in(one_or_more), std::nullopt);
    EXPECT_EQ((Estimate{0.9, 0.8, 1.0}).lies_in(one_or_more), std::nullopt);
    EXPECT_EQ((Estimate{0.9, 0.8, 0.99}).lies_in(one_or_more), false);
    constexpr Bound alike{.low = 0.9, .high = 1.1};
    EXPECT_EQ((Estimate{1, 0.95, 1.05}).lies_in(alike), true);
    EXPECT_EQ((Estimate{1, 0.5, 1.5}).lies_in(alike), std::nullopt);
    EXPECT_EQ((Estimate{1.3, 1.2, 1.4}).lies_in(alike), false);
    EXPECT_EQ((Estimate{1.3, 1.0, 1.6}).lies_in(alike), std::nullopt);
}

} // namespace
} // namespace mxk::bench
