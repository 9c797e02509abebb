// Random plans over random tables give what the reference gives. `test query --seed N` draws others than by default;
// `test query --seed 1000000` + n runs plan n only, and `random-plans --first n --count 1` writes it as SQL.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/log.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/query/random_plan.hpp"

namespace mxk::query_tests {
namespace {

constexpr std::uint64_t plans = 200;
constexpr std::uint64_t first_single = 1'000'000;

// ---- what comes out

// Rows as text, first the columns that they are ordered by; what is not exact stands beside it.
class Lines {
  public:
    struct Line {
        std::size_t begin = 0;
        std::size_t key_size = 0;
        std::size_t size = 0;
        std::array<double, ReferenceRows::max_columns> near{};
    };
    void begin_line() { lines_expect(lines_.add({.begin = text_.size()})); }
    void end_keys() { last().key_size = text_.size() - last().begin; }
    void add_cell(std::string_view text, Meaning const& meaning, std::size_t column) {
        if (text == "-0.0" && meaning.of == Class::Real) text = "0.0";
        bool const is_near = !meaning.is_exact && text != "NULL";
        if (is_near) last().near[column] = parsed(text);
        for (char const letter : is_near ? std::string_view("#") : text) lines_expect(text_.add(letter));
        lines_expect(text_.add('|'));
        last().size = text_.size() - last().begin;
    }
    [[nodiscard]] std::string_view text(Line const& line) const {
        return {text_.span().data() + line.begin, line.size};
    }
    [[nodiscard]] std::string_view key(std::size_t number) const {
        return text(lines_[number]).substr(0, lines_[number].key_size);
    }
    [[nodiscard]] std::size_t size() const { return lines_.size(); }
    [[nodiscard]] Line const& operator[](std::size_t number) const { return lines_[number]; }
    void sort() {
        auto const all = lines_.span();
        std::sort(all.begin(), all.end(), [this](Line const& a, Line const& b) {
            if (int const order = text(a).compare(text(b)); order != 0) return order < 0;
            return std::lexicographical_compare(a.near.begin(), a.near.end(), b.near.begin(), b.near.end());
        });
    }

  private:
    static void lines_expect(bool has_memory) { expect(has_memory, "a test has memory"); }
    Line& last() { return lines_[lines_.size() - 1]; }
    // To some last digits.
    static double parsed(std::string_view text) {
        bool const is_negative = text.starts_with('-');
        if (is_negative) text.remove_prefix(1);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (text == "nan") return -infinity; // NaN is not equal to itself here
        if (text == "inf") return is_negative ? -1e308 : infinity;
        double value = 0;
        double unit = 0;
        int exponent = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == 'e') {
                bool const is_small = text[at + 1] == '-';
                for (at += is_small ? 2 : 1; at < text.size(); ++at) exponent = exponent * 10 + (text[at] - '0');
                exponent = is_small ? -exponent : exponent;
            } else if (text[at] == '.') {
                unit = 1;
            } else {
                value = value * 10 + (text[at] - '0');
                unit *= 10;
            }
        }
        if (unit != 0) value /= unit;
        for (; exponent > 0; --exponent) value *= 10;
        for (; exponent < 0; ++exponent) value /= 10;
        return is_negative ? -value : value;
    }

    GrowingArray<Line> lines_;
    GrowingArray<char> text_;
};

bool is_near(double a, double b) {
    double const size = std::max(a < 0 ? -a : a, b < 0 ? -b : b);
    double const difference = a < b ? b - a : a - b;
    return a == b || difference <= 1e-9 * size;
}
bool are_alike(Lines const& a, std::size_t at_a, Lines const& b, std::size_t at_b) {
    return a.text(a[at_a]) == b.text(b[at_b]) &&
           std::equal(a[at_a].near.begin(), a[at_a].near.end(), b[at_b].near.begin(), is_near);
}

// ---- the answer

void put(Lines& lines, RandomPlan const& plan, auto cell_of) {
    lines.begin_line();
    auto const add = [&](std::size_t column) {
        FixedText<128> cell;
        cell_of(cell, column);
        lines.add_cell(cell.view(), plan.rows().column[column].meaning, column);
    };
    for (ResultKey const& key : plan.order()) add(key.column);
    lines.end_keys();
    for (std::size_t column = 0; column < plan.rows().columns; ++column) add(column);
}
bool is_expected(RandomPlan const& plan, Answer const& answer) {
    ReferenceRows const& rows = plan.rows();
    GrowingArray<std::size_t> order;
    for (std::size_t i = 0; i < rows.rows; ++i) expect(order.add(i), "a test has memory");
    std::sort(order.span().begin(), order.span().end(), [&](std::size_t a, std::size_t b) {
        for (auto const [at, is_descending] : plan.order()) {
            int const found =
                query_tests::order(rows.column[at].meaning.of, rows.row(a)[at], rows.row(b)[at], is_descending);
            if (found != 0) return found < 0;
        }
        return false;
    });
    Lines expected;
    for (std::size_t const row : order.span())
        put(expected, plan, [&](TextSink& out, std::size_t column) {
            write_value(out, rows.row(row)[column], rows.column[column].meaning);
        });
    Lines got;
    for (std::size_t row = 0; row < answer.rows(); ++row)
        put(got, plan, [&](TextSink& out, std::size_t column) { answer.write_cell(out, row, column); });
    if (answer.schema().fields().size() != rows.columns ||
        got.size() != std::min<std::uint64_t>(plan.limit(), expected.size())) {
        log::error("expected {} of {} rows, got {}", plan.limit(), expected.size(), got.size());
        return false;
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got.key(i) == expected.key(i)) continue;
        log::error("row {}: expected {} first, got {}", i, expected.key(i), got.key(i));
        return false;
    }
    // Each row is one of the expected ones.
    expected.sort();
    got.sort();
    std::size_t at = 0;
    for (std::size_t i = 0; i < got.size(); ++i, ++at) {
        bool const must_be_next = got.size() == expected.size();
        while (at < expected.size() && !must_be_next && !are_alike(got, i, expected, at)) ++at;
        if (at < expected.size() && are_alike(got, i, expected, at)) continue;
        log::error("got {}", got.text(got[i]));
        if (must_be_next) log::error("expected {}", expected.text(expected[at]));
        for (std::size_t column = 0; must_be_next && column < rows.columns; ++column)
            if (!is_near(got[i].near[column], expected[at].near[column])) log::error("column {} differs", column);
        return false;
    }
    return true;
}
bool is_right(std::uint64_t number) {
    auto made = make_random_plan(number);
    RandomPlan& plan = made[0];
    Answer answer;
    auto const result = plan.run(answer);
    if (!result.ok()) {
        bool const is_overflow =
            plan.may_overflow() && result.error().message().find(": overflow: ") != std::string_view::npos;
        if (!is_overflow) log::error("{}", result.error().message());
        return is_overflow;
    }
    if (plan.has_to_overflow()) log::error("expected an overflow, got an answer");
    return plan.may_overflow() ? !plan.has_to_overflow() : is_expected(plan, answer);
}

} // namespace

MXK_TEST(query, random_plans_give_what_the_reference_gives) {
    std::uint64_t const seed = inner_tests::seed();
    bool const is_single = seed >= first_single;
    std::uint64_t const first = is_single ? seed - first_single : (seed - 1) * plans;
    for (std::uint64_t number = first; number < first + (is_single ? 1 : plans); ++number) {
        bool const is_as_expected = is_right(number);
        MXK_CHECK(is_as_expected);
        if (is_as_expected) continue;
        log::error("plan {} (test query --seed {})", number, first_single + number);
    }
}

} // namespace mxk::query_tests
