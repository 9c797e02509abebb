// A screen of characters: what is painted is what a terminal would show.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/text_screen.hpp"

namespace mxk {
namespace {

// Remembers what was painted, and refuses what lies outside.
class PaintedCells final : public CellPainter {
  public:
    PaintedCells(std::size_t columns, std::size_t rows)
        : lines_(rows, std::string(columns, '#')) {}

    void paint(std::size_t column, std::size_t row, char character, bool has_cursor) override {
        ASSERT_LT(row, lines_.size());
        ASSERT_LT(column, lines_[row].size());
        lines_[row][column] = character;
        ++count;
        if (has_cursor) cursor = {column, row};
    }
    // All lines, without the blanks at their ends.
    [[nodiscard]] std::string text() const {
        std::string all;
        for (std::string const& line : lines_) all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        return all;
    }

    std::size_t count = 0;
    std::pair<std::size_t, std::size_t> cursor{};

  private:
    std::vector<std::string> lines_;
};

class TextScreenTest : public testing::Test {
  protected:
    TextScreenTest() { screen.resize(10, 4); }
    std::string after(std::string_view text) {
        screen.write(text);
        return painted.text();
    }

    PaintedCells painted{10, 4};
    TextScreen screen{painted};
};

TEST_F(TextScreenTest, lines_returns_and_backspace) {
    EXPECT_EQ(painted.text(), "\n\n\n\n") << "cleared at the beginning";
    EXPECT_EQ(after("one\r\ntwo\nx\b\bthree"), "one\ntwo\nthree\n\n");
    EXPECT_EQ(after("\rTH\a"), "one\ntwo\nTHree\n\n");
    EXPECT_EQ(painted.cursor, std::pair(std::size_t{2}, std::size_t{2}));
    EXPECT_EQ(after("\n\ta"), "one\ntwo\nTHree\n        a\n");
}

TEST_F(TextScreenTest, is_cleared_for_what_is_to_stay_together) {
    screen.write("one\ntwo\n");
    screen.make_room(1);
    EXPECT_EQ(after("three"), "one\ntwo\nthree\n\n") << "there was room";
    screen.make_room(2);
    EXPECT_EQ(after("four\nfive\nsix"), "four\nfive\nsix\n\n");
    screen.make_room(100);
    EXPECT_EQ(after("seven"), "seven\n\n\n\n") << "more than it has";
}

TEST_F(TextScreenTest, a_long_line_goes_on_in_the_next_one) {
    EXPECT_EQ(after("0123456789"), "0123456789\n\n\n\n");
    EXPECT_EQ(after("ab"), "0123456789\nab\n\n\n") << "not before there is more";
    EXPECT_EQ(after("\n0123456789\nc"), "0123456789\nab\n0123456789\nc\n") << "an end of line there is one, not two";
}

TEST_F(TextScreenTest, a_full_screen_loses_its_upper_half) {
    EXPECT_EQ(after("1\n2\n3\n4"), "1\n2\n3\n4\n");
    EXPECT_EQ(after("\n5"), "3\n4\n5\n\n");
    EXPECT_EQ(after("\n6\n7"), "5\n6\n7\n\n");
}

TEST_F(TextScreenTest, sequences_of_the_console) {
    EXPECT_EQ(after("progress\r\x1b[Kdone"), "done\n\n\n\n");
    EXPECT_EQ(after("\x1b[3D\x1b[1C!\x1b[2A\x1b[B?"), "do!e\n   ?\n\n\n");
    EXPECT_EQ(after("\x1b[H\x1b[2Jnew"), "new\n\n\n\n");
    EXPECT_EQ(after("\x1b[1;31mred\x1b[0m\x1bM"), "newred\n\n\n\n") << "colours and what is unknown are passed over";
    EXPECT_EQ(after("\x1b[99999999999999999999C."), "newred   .\n\n\n\n");
    EXPECT_EQ(after("\xc3\xa4"), "newred   .\n??\n\n\n") << "beyond ASCII";
}

TEST_F(TextScreenTest, only_what_changes_is_painted) {
    screen.write("0123456789\r");
    std::size_t const before = painted.count;
    screen.write("0123456789");
    EXPECT_LE(painted.count - before, 2U) << "the cursor, twice";
}

TEST_F(TextScreenTest, what_was_painted_over_comes_back) {
    screen.write("one\ntwo");
    std::string const before = painted.text();
    painted.paint(1, 0, '#', false);
    screen.repaint();
    EXPECT_EQ(painted.text(), before);
    EXPECT_EQ(painted.cursor, std::pair(std::size_t{3}, std::size_t{1}));
}

TEST(TextScreen, bounds_and_any_bytes) {
    PaintedCells painted(TextScreen::max_columns, TextScreen::max_rows);
    TextScreen screen(painted);
    screen.write("nothing is painted before it has cells");
    screen.repaint();
    EXPECT_EQ(painted.count, 0U);
    screen.resize(100'000, 100'000);
    EXPECT_EQ(screen.columns(), TextScreen::max_columns);
    EXPECT_EQ(screen.rows(), TextScreen::max_rows);
    std::mt19937 random(1);
    for (auto const& [columns, rows] : {std::pair(1, 1), std::pair(1, 3), std::pair(7, 2)}) {
        screen.resize(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows));
        std::string bytes;
        for (int i = 0; i < 50'000; ++i)
            bytes += "\x1b[JKHABCD019;\n\r\b\tx\xff"[random() % 19]; // a sequence now and then
        screen.write(bytes);
    }
    screen.resize(0, 5);
    screen.write("x");
}

} // namespace
} // namespace mxk
