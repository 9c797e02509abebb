#include "tests/fuzz/targets/options_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/table/table_options.hpp"
#include "tests/fuzz/targets/probe_options.hpp"
#include "tests/fuzz/targets/text.hpp"

namespace mxk::fuzz {
namespace {

using console::Option;
using Wide = unsigned __int128;

std::string spelled(console::Candidate const& candidate) {
    return std::string(candidate.lead) + std::string(candidate.name);
}

Wide power_of_ten(std::size_t exponent) {
    Wide power = 1;
    for (; exponent > 0; --exponent) power *= 10;
    return power;
}

// K, M, G and Ki, Mi, Gi in either case, cut off `text`.
std::uint64_t cut_factor(std::string& text) {
    std::uint64_t base = 1000;
    if (text.ends_with('i') || text.ends_with('I')) {
        base = 1024;
        text.pop_back();
    }
    std::size_t const power = text.empty() ? 0 : std::string_view("kKmMgG").find(text.back()) / 2 + 1;
    if (power == 0 || power > 3) return 1;
    text.pop_back();
    return power == 1 ? base : power == 2 ? base * base : base * base * base;
}

// Whether `text` means exactly `count`.
bool means(std::string text, std::uint64_t count) {
    Wide const factor = cut_factor(text);
    std::size_t const point = std::min(text.find('.'), text.size());
    std::string digits = text.substr(0, point) + text.substr(std::min(point + 1, text.size()));
    std::size_t behind = digits.size() - point;
    for (; behind > 0 && digits.ends_with('0'); --behind) digits.pop_back(); // they say nothing, and may be many
    if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
    Wide value = 0;
    for (char const c : digits) {
        if (value > (~Wide{0} >> 40)) return false; // more than any count, times a factor, can be
        value = value * 10 + static_cast<Wide>(c - '0');
    }
    return value * factor == Wide{count} * power_of_ten(behind);
}

bool same(console::CountList const& a, console::CountList const& b) {
    return std::ranges::equal(a.values(), b.values());
}
bool same(console::WordList const& a, console::WordList const& b) {
    return std::ranges::equal(a.values(), b.values());
}
bool same(topology::CoreSets const& a, topology::CoreSets const& b) {
    return std::ranges::equal(a.requests(), b.requests(), [](auto const& x, auto const& y) {
        return x.kind == y.kind && same(x.numbers, y.numbers) && x.text == y.text;
    });
}
bool same(bench::Mix const& a, bench::Mix const& b) {
    return a.kind == b.kind && a.insert == b.insert && a.find == b.find && a.erase == b.erase;
}
bool same(bench::Phases const& a, bench::Phases const& b) {
    return std::ranges::equal(a.list(), b.list(), [](auto const& x, auto const& y) { return same(x, y); });
}
// Printed with nine digits after the point.
bool same(double a, double b) {
    double const difference = a < b ? b - a : a - b;
    return difference <= 0.5e-9 + 1e-15 * a;
}
bool same(ProbeOptions const& a, ProbeOptions const& b) {
    return a.wide == b.wide && a.bounded == b.bounded && a.narrow == b.narrow && same(a.share, b.share) &&
           same(a.free, b.free) && a.perhaps == b.perhaps && same(a.cores, b.cores) && same(a.any, b.any) &&
           a.shape == b.shape && same(a.sets, b.sets) && same(a.mix, b.mix) && same(a.phases, b.phases) &&
           a.label == b.label && same(a.tags, b.tags) && a.json == b.json && a.first == b.first && same(a.rest, b.rest);
}
// Member by member where this file knows the members, else as they are printed.
bool same(bench::TableOptions const& a, bench::TableOptions const& b) {
    return std::ranges::all_of(bench::table_schema.options, [&](Option const& option) {
        StringSink first;
        StringSink second;
        option.print(first, &a);
        option.print(second, &b);
        return first.text == second.text;
    });
}

// The options as they are printed, "--name=value". Flags and words print nothing: they are taken from `typed`.
std::vector<std::string> printed(std::span<Option const> options, void const* values,
                                 std::span<std::string_view const> typed) {
    std::vector<std::string> result;
    for (Option const& option : options) {
        StringSink value;
        option.print(value, values);
        bool const is_given = option.kind == Option::Kind::Value && !option.repeatable && !value.text.empty();
        if (is_given) result.push_back("--" + std::string(option.name) + "=" + value.text);
    }
    for (std::size_t i = 0; i < typed.size(); ++i) {
        bool const is_value = i > 0 && typed[i - 1] == "--tag" && typed[i].substr(0, 2) != "--";
        bool const is_bare = typed[i].size() < 2 || !typed[i].starts_with('-');
        bool const follows = i > 0 && typed[i - 1].starts_with("--") && typed[i - 1] != "--json" &&
                             typed[i - 1].find('=') == std::string_view::npos;
        if (typed[i] == "--json" || typed[i].starts_with("--tag") || is_value || (is_bare && !follows)) {
            result.emplace_back(typed[i]);
        }
    }
    return result;
}

template <typename Options, std::size_t count>
void expect_read_back(std::span<std::string_view const> arguments, console::Schema<Options, count> const& schema) {
    Options options;
    auto const parsed = console::parse(arguments, schema, options);
    if (!parsed) {
        EXPECT_FALSE(parsed.error().message().empty());
        return;
    }
    std::vector<std::string> const text = printed(schema.options, &options, arguments);
    std::vector<std::string_view> const words(text.begin(), text.end());
    Options again;
    auto const reparsed = console::parse(words, schema, again);
    std::string all;
    for (std::string const& word : text) all += "[" + word + "]";
    EXPECT_TRUE(reparsed.ok()) << all << (reparsed.ok() ? "" : std::string(reparsed.error().message()));
    EXPECT_TRUE(!reparsed.ok() || same(options, again)) << all;
}

} // namespace

void expect_exact_count(std::string_view text) {
    auto const count = console::parse_count(text);
    if (count) {
        EXPECT_TRUE(means(std::string(text), count.value())) << text << " is not " << count.value();
    }
}

void expect_printed_count_is_read_back(std::uint64_t count) {
    FixedText<32> text;
    console::print_count(text, count);
    auto const read = console::parse_count(text.view());
    ASSERT_TRUE(read.ok()) << text.view();
    EXPECT_EQ(read.value(), count) << text.view();
    EXPECT_TRUE(means(std::string(text.view()), count)) << text.view();
}

void expect_options_are_read_back(std::span<std::string_view const> arguments) {
    expect_read_back(arguments, bench::table_schema);
    expect_read_back(arguments, probe_schema);
}

void expect_sound_candidates(console::Candidates const& candidates) {
    auto const all = candidates.sorted();
    if (all.empty()) return;
    std::string const common(candidates.common_prefix());
    EXPECT_TRUE(common.starts_with(candidates.word()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_TRUE(spelled(all[i]).starts_with(common)) << spelled(all[i]) << " and " << common;
        if (i > 0) {
            EXPECT_LT(spelled(all[i - 1]), spelled(all[i]));
        }
    }
    bool const can_go_on = std::ranges::all_of(all, [&](console::Candidate const& one) {
        return one.size() > common.size() && one[common.size()] == all.front()[common.size()];
    });
    EXPECT_FALSE(can_go_on) << common << " is not all they have in common";
}

} // namespace mxk::fuzz
