// Option --memory of `bench table`: what may be typed, and where parts of a table lie then.
#include <gtest/gtest.h>

#include <string>

#include "base/format.hpp"
#include "bench/table/table_placement.hpp"

namespace mxk::bench {
namespace {

TablePlacement parsed(std::string_view text) {
    TablePlacement placement;
    EXPECT_TRUE(parse_value(text, placement).ok()) << text;
    return placement;
}

TEST(TablePlacementTest, what_is_typed_is_printed_again) {
    for (std::string_view const text : {"owners", "node:0", "node:12", "interleaved"}) {
        FixedText<32> printed;
        print_value(printed, parsed(text));
        EXPECT_EQ(printed.view(), text);
    }
}

TEST(TablePlacementTest, what_is_none_is_told) {
    for (std::string_view const text : {"", "node", "node:", "node:x", "node:-1", "Owners", "interleaved:2"}) {
        TablePlacement placement;
        auto const refused = parse_value(text, placement);
        ASSERT_FALSE(refused.ok()) << text;
        EXPECT_NE(std::string(refused.error().message()).find("expected owners, node:N"), std::string::npos);
    }
}

TEST(TablePlacementTest, parts_lie_with_their_owners_on_one_node_or_on_all_in_turn) {
    NodeId const owner = node_id(1);
    EXPECT_EQ(parsed("owners").node_of(5, owner, 4), owner);
    EXPECT_EQ(parsed("node:3").node_of(5, owner, 4), node_id(3));
    EXPECT_EQ(parsed("interleaved").node_of(5, owner, 4), node_id(1));
    EXPECT_EQ(parsed("interleaved").node_of(7, owner, 4), node_id(3));
}

TEST(TablePlacementTest, a_node_that_is_not_there_is_refused) {
    EXPECT_TRUE(check(parsed("node:1"), 2).ok());
    auto const refused = check(parsed("node:2"), 2);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message(), "--memory node:N: expected N below 2, the number of nodes, got 2");
    EXPECT_TRUE(check(parsed("interleaved"), 1).ok());
}

} // namespace
} // namespace mxk::bench
