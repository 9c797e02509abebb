#include <gtest/gtest.h>

#include <string>

#include "bench/workload/phases.hpp"
#include "tests/unit/parsed.hpp"

namespace mxk::bench {
namespace {

TEST(Mix, reads_and_prints) {
    EXPECT_EQ(mxk::test::parsed<Mix>("insert"), "insert");
    EXPECT_EQ(mxk::test::parsed<Mix>("find"), "find");
    EXPECT_EQ(mxk::test::parsed<Mix>("erase"), "erase");
    EXPECT_EQ(mxk::test::parsed<Mix>("mixed:50/40/10"), "mixed:50/40/10");
    EXPECT_EQ(mxk::test::parsed<Mix>("mixed:100/0/0"), "mixed:100/0/0");
    EXPECT_EQ(mxk::test::parsed<Mix>("loaded:5/90/5"), "loaded:5/90/5");
}

TEST(Mix, says_what_it_expects) {
    for (std::string const text :
         {"", "inserts", "mixed", "mixed:", "mixed:50/50", "mixed:50/40/20", "mixed:50/40/10/0", "mixed:-1/51/50",
          "mixed:a/b/c", "mixed:50/40/10 ", "loaded", "loaded:50/50"})
        EXPECT_EQ(mxk::test::parsed<Mix>(text),
                  "expected insert, find, erase, mixed:I/F/E or loaded:I/F/E with three percentages that add up to "
                  "100, got '" +
                      text + "'");
}

} // namespace
} // namespace mxk::bench
