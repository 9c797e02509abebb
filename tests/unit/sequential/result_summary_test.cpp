// What of the kept results goes into QR codes, and that it comes out of them again.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/crc32.hpp"
#include "base/format.hpp"
#include "bench/frame/result_summary.hpp"
#include "tests/unit/inflated.hpp"

namespace mxk::bench {
namespace {

using Lines = std::vector<std::string>;

class ResultSummaryTest : public testing::Test {
  protected:
    // Rows of a benchmark, and a table for people above them.
    void print(std::string_view benchmark, int rows, std::string_view more = "") {
        kept_.begin_part();
        format(kept_, "{}: a table\n", benchmark);
        for (int i = 0; i < rows; ++i)
            format(kept_, "{{\"benchmark\":\"{}\",\"measure\":\"some\",\"row\":{},\"more\":\"{}\"}}\n", benchmark, i,
                   more);
    }

    // The lines that the codes hold.
    Lines lines_of_codes() {
        std::string data;
        std::string sum;
        EXPECT_LE(summary_.codes(), ResultSummary::max_codes);
        for (std::size_t number = 1; number <= summary_.codes(); ++number) {
            auto const code = summary_.code(number);
            std::string const text(code.view());
            EXPECT_LE(text.size(), QrCode::room(summary_.version()));
            EXPECT_EQ(text.find_first_not_of(QrCode::alphabet), std::string::npos);
            EXPECT_EQ(text.rfind("MXK1 " + std::to_string(number) + "/" + std::to_string(summary_.codes()) + " ", 0),
                      0U);
            std::size_t const last = text.rfind(' ');
            EXPECT_EQ(std::stoul(text.substr(last + 1), nullptr, 16), crc32(text.substr(0, last)));
            std::size_t const first = text.find(' ', 5);
            sum = text.substr(first + 1, 8);
            data += text.substr(first + 10, last - first - 10);
        }
        std::string const text = Inflater(from_base45(data)).text();
        EXPECT_EQ(std::stoul(sum, nullptr, 16), crc32(text));
        Lines lines;
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
            lines.push_back(text.substr(at, text.find('\n', at) - at));
        return lines;
    }
    // The numbers of the rows of a benchmark that are in it.
    std::vector<int> rows_of(std::string const& benchmark) {
        std::vector<int> rows;
        for (std::string const& line : lines_of_codes())
            if (line.find("\"" + benchmark + "\"") != std::string::npos)
                rows.push_back(std::stoi(line.substr(line.find("row\":") + 5)));
        return rows;
    }

    std::vector<char> room_ = std::vector<char>(1 << 20);
    KeptLines kept_{room_};
    std::unique_ptr<ResultSummary> made_ = std::make_unique<ResultSummary>();
    ResultSummary& summary_ = *made_;
};

TEST_F(ResultSummaryTest, nothing_to_show) {
    EXPECT_FALSE(summary_.make(kept_, true));
    print("table", 0);
    EXPECT_FALSE(summary_.make(kept_, true));
}

TEST_F(ResultSummaryTest, few_rows_are_all_there) {
    print("table", 3);
    print("lines", 2);
    ASSERT_TRUE(summary_.make(kept_, true));
    EXPECT_EQ(summary_.rows(), 5U);
    EXPECT_EQ(summary_.left_out(), 0U);
    EXPECT_EQ(summary_.codes(), 1U);
    EXPECT_EQ(lines_of_codes()[0].find("summary of 5 rows: 5 are here, 0 left out"), 0U);
    EXPECT_EQ(rows_of("table"), (std::vector{0, 1, 2}));
    EXPECT_EQ(rows_of("lines"), (std::vector{0, 1}));
    ASSERT_TRUE(summary_.make(kept_, false));
    EXPECT_EQ(rows_of("table"), std::vector<int>());
    EXPECT_EQ(rows_of("lines"), (std::vector{0, 1}));
}

TEST_F(ResultSummaryTest, of_many_the_first_the_last_and_some_between) {
    print("memory", 39);
    print("lines", 3);
    print("table", 100);
    ASSERT_TRUE(summary_.make(kept_, true));
    EXPECT_EQ(summary_.left_out(), 39U + 3 + 100 - 20);
    EXPECT_EQ(rows_of("memory"), (std::vector{0, 5, 10, 16, 21, 27, 32, 38}));
    EXPECT_EQ(rows_of("lines"), (std::vector{0, 1, 2}));
    EXPECT_EQ(rows_of("table"), (std::vector{0, 12, 24, 37, 49, 61, 74, 86, 99}));
}

TEST_F(ResultSummaryTest, any_number_of_rows_and_groups) {
    for (int groups = 1; groups <= 25; ++groups) {
        kept_ = KeptLines(room_);
        for (int i = 0; i < groups; ++i) print("group" + std::to_string(i), i % 7 + 1);
        ASSERT_TRUE(summary_.make(kept_, true));
        std::size_t const expected = std::min<std::size_t>(summary_.rows(), ResultSummary::max_rows);
        EXPECT_EQ(lines_of_codes().size(), 1 + expected) << groups;
        EXPECT_EQ(summary_.rows() - summary_.left_out(), expected);
        EXPECT_EQ(rows_of("group" + std::to_string(groups - 1)).back(), (groups - 1) % 7);
        EXPECT_EQ(rows_of("group0").empty(), groups > 20) << "the oldest are left out";
    }
    for (int rows = 1; rows <= 45; ++rows) {
        kept_ = KeptLines(room_);
        print("table", rows);
        ASSERT_TRUE(summary_.make(kept_, true));
        EXPECT_EQ(rows_of("table").size(), std::min<std::size_t>(static_cast<std::size_t>(rows), 20));
    }
}

TEST_F(ResultSummaryTest, what_does_not_fit_is_left_out_and_counted) {
    std::mt19937 random(1);
    for (int i = 0; i < 20; ++i) {
        std::string noise;
        for (int byte = 0; byte < 1500; ++byte) noise += static_cast<char>('!' + random() % 90);
        std::replace(noise.begin(), noise.end(), '"', '_');
        print("table" + std::to_string(i), 1, noise);
    }
    ASSERT_TRUE(summary_.make(kept_, true));
    EXPECT_EQ(summary_.codes(), 10U);
    EXPECT_GT(summary_.left_out(), 5U);
    EXPECT_GT(summary_.version(), 20U);
    EXPECT_EQ(lines_of_codes().size(), 21 - summary_.left_out());
    print("table", 1, std::string(70'000, 'x')); // more than the text may be, however short it becomes
    EXPECT_FALSE(summary_.make(kept_, false));
}

} // namespace
} // namespace mxk::bench
