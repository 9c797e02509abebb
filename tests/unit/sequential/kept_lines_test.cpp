// Lines that are kept until there is no room for them.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/kept_lines.hpp"

namespace mxk {
namespace {

class KeptLinesText final : public TextSink {
  public:
    void write(std::string_view text) override { written += text; }
    std::string written;
};

std::string kept(KeptLines const& lines, bool all) {
    KeptLinesText out;
    for (KeptLines::Reader reader(lines, all); reader.write_next(out);) {
    }
    return out.written;
}

TEST(KeptLines, the_latest_part_or_all) {
    std::array<char, 64> room{};
    KeptLines lines(room);
    EXPECT_TRUE(lines.empty());
    EXPECT_EQ(kept(lines, true), "");
    lines.write("one\nt");
    lines.write("wo\n");
    lines.begin_part();
    lines.write("three\n");
    EXPECT_EQ(kept(lines, true), "one\ntwo\nthree\n");
    EXPECT_EQ(kept(lines, false), "three\n");
    lines.begin_part();
    EXPECT_EQ(kept(lines, false), "");
}

TEST(KeptLines, whole_lines_make_room_and_are_counted) {
    std::array<char, 16> room{};
    KeptLines lines(room);
    lines.write("aaaaaaa\n");
    lines.begin_part();
    lines.write("bbb\ncc\n"); // 15 bytes
    EXPECT_EQ(kept(lines, true), "aaaaaaa\nbbb\ncc\n");
    lines.write("ddd\n"); // takes the room of the first line, and wraps
    EXPECT_EQ(kept(lines, true), "bbb\ncc\nddd\n");
    EXPECT_EQ(kept(lines, false), kept(lines, true));
    EXPECT_EQ(lines.dropped(true), 1U);
    EXPECT_EQ(lines.dropped(false), 0U) << "it was of the part before";
    lines.write("eeeeee\n");
    EXPECT_EQ(kept(lines, false), "cc\nddd\neeeeee\n");
    EXPECT_EQ(lines.dropped(false), 1U);
}

TEST(KeptLines, of_a_line_without_end_the_end_remains) {
    std::array<char, 8> room{};
    KeptLines lines(room);
    lines.write("0123456789\n");
    EXPECT_EQ(kept(lines, true), "89\n");
    EXPECT_EQ(lines.dropped(true), 1U);
}

} // namespace
} // namespace mxk
