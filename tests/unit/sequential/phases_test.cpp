#include <gtest/gtest.h>

#include <string>

#include "bench/workload/phases.hpp"
#include "tests/unit/parsed.hpp"

namespace mxk::bench {
namespace {

TEST(Phases, are_an_insert_where_nothing_is_said) {
    Phases const phases;
    ASSERT_EQ(phases.size(), 1U);
    EXPECT_EQ(phases.list()[0].kind, Mix::Kind::Insert);
}

TEST(Phases, read_and_print_one_or_several) {
    for (std::string const text : {"insert", "find", "erase", "insert,find", "insert,erase", "find,erase",
                                   "insert,find,erase", "mixed:50/40/10", "loaded:5/90/5"})
        EXPECT_EQ(mxk::test::parsed<Phases>(text), text);
}

TEST(Phases, replace_what_was_there) {
    Phases phases;
    ASSERT_TRUE(parse_value("insert,find,erase", phases));
    ASSERT_TRUE(parse_value("find", phases));
    ASSERT_EQ(phases.size(), 1U);
    EXPECT_EQ(phases.list()[0].kind, Mix::Kind::Find);
}

TEST(Phases, know_which_of_them_need_keys) {
    Phases phases;
    ASSERT_TRUE(parse_value("insert,find,erase", phases));
    ASSERT_EQ(phases.size(), 3U);
    EXPECT_FALSE(phases.list()[0].needs_keys());
    EXPECT_TRUE(phases.list()[1].needs_keys());
    EXPECT_TRUE(phases.list()[2].needs_keys());
    EXPECT_FALSE((Mix{Mix::Kind::Mixed, 0, 50, 50}.needs_keys()));
    EXPECT_TRUE((Mix{Mix::Kind::Loaded, 0, 50, 50}.needs_keys()));
}

TEST(Phases, have_an_order_and_no_repetition) {
    for (std::string const text :
         {"find,insert", "erase,find", "insert,insert", "insert,find,insert", "insert,find,erase,erase"})
        EXPECT_EQ(mxk::test::parsed<Phases>(text),
                  "expected each phase up to once, in the order insert,find,erase, got '" + text + "'");
}

TEST(Phases, one_with_shares_stands_alone) {
    for (std::string const text : {"insert,mixed:50/40/10", "mixed:50/40/10,find", "mixed:50/40/10,mixed:50/40/10",
                                   "insert,loaded:50/40/10", "loaded:50/40/10,erase"})
        EXPECT_EQ(mxk::test::parsed<Phases>(text), "expected a phase with shares alone, got '" + text + "'");
}

TEST(Phases, name_the_word_that_is_none) {
    std::string const expected =
        "expected insert, find, erase, mixed:I/F/E or loaded:I/F/E with three percentages that add up to 100, got ";
    EXPECT_EQ(mxk::test::parsed<Phases>(""), expected + "''");
    EXPECT_EQ(mxk::test::parsed<Phases>("insert,"), expected + "''");
    EXPECT_EQ(mxk::test::parsed<Phases>(",insert"), expected + "''");
    EXPECT_EQ(mxk::test::parsed<Phases>("insert,found,erase"), expected + "'found'");
    EXPECT_EQ(mxk::test::parsed<Phases>("insert, find"), expected + "' find'");
}

} // namespace
} // namespace mxk::bench
