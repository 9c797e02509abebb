// A terminal of 80 columns as far as the line editor uses one: what it would show, and where its cursor would stand.
// Anything else that is sent to it, and every wrap, is a test failure.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace mxk::console {

class Terminal final : public TextSink {
  public:
    void write(std::string_view text) override {
        bytes_written += text.size();
        for (char const c : text) feed(c);
    }

    // The row the cursor is in, without blanks at its end.
    [[nodiscard]] std::string row() const { return stripped(rows.back()); }
    // The row n above it.
    [[nodiscard]] std::string row_above(std::size_t n) const { return stripped(rows.at(rows.size() - 1 - n)); }

    // The last row is the one the cursor is in: the editor never goes up.
    std::vector<std::string> rows{""};
    std::size_t column = 0;
    std::size_t bells = 0;
    std::size_t bytes_written = 0;

  private:
    static std::string stripped(std::string text) {
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

    void feed(char c) {
        if (!sequence_.empty()) return feed_sequence(c);
        switch (c) {
        case '\x1b': sequence_ = c; return;
        case '\a': ++bells; return;
        case '\r': column = 0; return;
        case '\n':
            rows.emplace_back();
            column = 0;
            return;
        case '\b':
            ASSERT_GT(column, 0U);
            --column;
            return;
        default: break;
        }
        ASSERT_TRUE(c >= ' ' && c < 0x7f) << "byte " << int{c};
        ASSERT_LT(column, 80U) << "the terminal would wrap: " << rows.back();
        std::string& row = rows.back();
        if (row.size() <= column) row.resize(column + 1, ' ');
        row[column++] = c;
    }

    void feed_sequence(char c) {
        sequence_ += c;
        if (sequence_.size() == 2 || c < 0x40) return;
        std::size_t const count = sequence_.size() > 3 ? std::stoul(sequence_.substr(2)) : 1;
        switch (c) {
        case 'C': column += count; break;
        case 'D':
            ASSERT_GE(column, count);
            column -= count;
            break;
        case 'K': rows.back().resize(std::min(rows.back().size(), column)); break;
        case 'H': column = 0; break;
        case 'J': rows = {""}; break;
        default: FAIL() << "unknown sequence ending in " << c;
        }
        ASSERT_LT(column, 80U);
        sequence_.clear();
    }

    std::string sequence_;
};

} // namespace mxk::console
