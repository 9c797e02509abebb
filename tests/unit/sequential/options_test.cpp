#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/console/options.hpp"

namespace mxk::probe { // a room of its own: what is declared here must be found by argument-dependent lookup

enum class Layout : std::uint8_t { Chained, Open };
constexpr auto value_names(Layout) {
    return std::array{console::NamedValue{Layout::Chained, "chained"}, console::NamedValue{Layout::Open, "open"}};
}

struct Ratio {
    unsigned a = 1;
    unsigned b = 1;
};
Result<void> parse_value(std::string_view text, Ratio& ratio) {
    if (text.size() != 3 || text[1] != ':') return Error::of("expected a ratio such as 1:2, got '{}'", text);
    ratio = {static_cast<unsigned>(text[0] - '0'), static_cast<unsigned>(text[2] - '0')};
    return {};
}
void print_value(TextSink& out, Ratio const& ratio) {
    format(out, "{}:{}", ratio.a, ratio.b);
}
void describe_value(TextSink& out, Ratio const&) {
    out.write("A:B");
}

struct Common {
    std::uint64_t padding = 0;
    console::CountList cores{1, 2};
    bool json = false;
};
struct First {
    std::uint64_t other = 7;
};
// Two bases: the members of the second do not stand where the struct begins.
struct Options : First, Common {
    std::uint64_t operations = 24'000'000;
    std::uint8_t small = 3;
    double load = 0.1;
    Layout layout = Layout::Chained;
    Ratio ratio;
    std::string_view label;
    console::WordList rest;
};

constexpr auto options_schema = console::schema<Options>(
    console::option<&Options::cores>("cores", "core counts, one row each", console::between(1, 1024)),
    console::option<&Options::operations>("ops", "operations per run", console::between(1, 4'000'000'000)),
    console::option<&Options::small>("small", "a small count"),
    console::option<&Options::load>("load", "share of slots", console::between(0.0, 0.95)),
    console::option<&Options::layout>("layout", "how entries lie in memory"),
    console::option<&Options::ratio>("ratio", "reads to writes"),
    console::flag<&Options::json>("json", "one line per result for tools"),
    console::positional<&Options::label>("LABEL", "name of the run"),
    console::positional<&Options::rest>("MORE", "whatever else"));

std::vector<std::string> split(std::string const& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

// "" where all is well, else the message.
std::string parse_message(std::string const& text, Options& options) {
    std::vector<std::string> const words = split(text);
    std::vector<std::string_view> const views(words.begin(), words.end());
    auto const result = console::parse(views, options_schema, options);
    return result.ok() ? "" : std::string(result.error().message());
}
Options parsed(std::string const& text) {
    Options options;
    EXPECT_EQ(parse_message(text, options), "");
    return options;
}

TEST(Options, defaults_stay_where_nothing_is_given) {
    Options const options = parsed("");
    EXPECT_EQ(options.operations, 24'000'000U);
    EXPECT_EQ(options.other, 7U);
    EXPECT_FALSE(options.json);
}

TEST(Options, both_spellings_fill_every_kind_of_member) {
    Options const options = parsed("--cores 1,4-6 --ops=1.5M --small 255 --load .5 --layout open --ratio=3:1 --json");
    EXPECT_EQ(std::vector<std::uint32_t>(options.cores.values().begin(), options.cores.values().end()),
              (std::vector<std::uint32_t>{1, 4, 5, 6}));
    EXPECT_EQ(options.operations, 1'500'000U);
    EXPECT_EQ(options.small, 255U);
    EXPECT_EQ(options.load, 0.5);
    EXPECT_EQ(options.layout, Layout::Open);
    EXPECT_EQ(options.ratio.a, 3U);
    EXPECT_TRUE(options.json);
    EXPECT_EQ(options.other, 7U) << "members of the first base are untouched";
    EXPECT_EQ(options.padding, 0U);
}

TEST(Options, words_without_dashes_fill_the_positional_entries_in_order) {
    Options options;
    std::vector<std::string_view> const words{"name", "--json", "x", "-", "y"};
    ASSERT_TRUE(console::parse(words, options_schema, options).ok());
    EXPECT_EQ(options.label, "name");
    ASSERT_EQ(options.rest.values().size(), 3U);
    EXPECT_EQ(options.rest.values()[1], "-");
}

TEST(Options, messages_say_what_was_expected) {
    struct Bad {
        std::string text;
        std::string message;
    };
    std::vector<Bad> const table{
        {"--opps 3", "unknown option --opps; did you mean --ops?"},
        {"--opps=3", "unknown option --opps; did you mean --ops?"},
        {"-lo", "unknown option -lo; did you mean --load?"},
        {"--rate 3", "unknown option --rate; did you mean --ratio?"},
        {"--", "unknown option --; expected one of --cores, --ops, --small, --load, --layout, --ratio, --json"},
        {"--LABEL x",
         "unknown option --LABEL; expected one of --cores, --ops, --small, --load, --layout, --ratio, --json"},
        {"--ops abc", "--ops: expected a count such as 24M (1 to 4000000000), got 'abc'"},
        {"--ops 0", "--ops: expected a count such as 24M (1 to 4000000000), got '0'"},
        {"--ops=", "--ops: expected a count such as 24M (1 to 4000000000), got ''"},
        {"--ops -5", "--ops: expected a count such as 24M (1 to 4000000000), got '-5'"},
        {"--ops 1.0005K", "--ops: expected a count such as 24M (1 to 4000000000), got '1.0005K'"},
        {"--ops 4000000001", "--ops: expected a count such as 24M (1 to 4000000000), got '4000000001'"},
        {"--small 256", "--small: expected a count such as 24M (0 to 255), got '256'"},
        {"--load 1", "--load: expected a number such as 0.1 (0 to 0.95), got '1'"},
        {"--load 1e-3", "--load: expected a number such as 0.1 (0 to 0.95), got '1e-3'"},
        {"--layout cuckoo", "--layout: expected one of chained, open, got 'cuckoo'"},
        {"--ratio 1", "--ratio: expected a ratio such as 1:2, got '1'"},
        {"--cores 1,,2", "--cores: expected up to 64 counts such as 1,2,4 or 1-4 (each 1 to 1024), got '1,,2'"},
        {"--cores 4-1", "--cores: expected up to 64 counts such as 1,2,4 or 1-4 (each 1 to 1024), got '4-1'"},
        {"--cores 1-65", "--cores: expected up to 64 counts such as 1,2,4 or 1-4 (each 1 to 1024), got '1-65'"},
        {"--cores 0", "--cores: expected up to 64 counts such as 1,2,4 or 1-4 (each 1 to 1024), got '0'"},
        {"--ops", "--ops needs a value: --ops COUNT"},
        {"--layout --json", "--layout needs a value: --layout chained|open"},
        {"--json=yes", "--json takes no value, got 'yes'"},
        {"--ops 1 --json --ops=2", "--ops is given twice"},
        {"--json --json", "--json is given twice"},
    };
    for (Bad const& bad : table) {
        Options options;
        EXPECT_EQ(parse_message(bad.text, options), bad.message) << bad.text;
    }
}

TEST(Options, a_schema_without_positional_entries_takes_no_bare_word) {
    struct Plain {
        bool json = false;
    } options;
    constexpr auto plain = console::schema<Plain>(console::flag<&Plain::json>("json", ""));
    std::vector<std::string_view> const words{"word"};
    EXPECT_EQ(console::parse(words, plain, options).error().message(), "unexpected argument 'word'");
}

TEST(Options, help_is_one_line_per_option) {
    FixedText<2048> out;
    console::print_help(out, options_schema, Options{});
    EXPECT_EQ(out.view(), "  --cores COUNT,COUNT-COUNT,...  core counts, one row each; 1 to 1024; default 1,2\n"
                          "  --ops COUNT                    operations per run; 1 to 4G; default 24M\n"
                          "  --small COUNT                  a small count; default 3\n"
                          "  --load NUMBER                  share of slots; 0 to 0.95; default 0.1\n"
                          "  --layout chained|open          how entries lie in memory; default chained\n"
                          "  --ratio A:B                    reads to writes; default 1:1\n"
                          "  --json                         one line per result for tools\n"
                          "  [LABEL]                        name of the run\n"
                          "  [MORE...]                      whatever else\n");
}

struct Unset {
    std::optional<std::uint32_t> distance;
    std::optional<double> share;
};
constexpr auto unset_schema = console::schema<Unset>(
    console::option<&Unset::distance>("distance", "tasks ahead (none given: its own)", console::between(0, 64)),
    console::option<&Unset::share>("share", "of all", console::between(0.5, 1.0)));

TEST(Options, what_may_be_left_out_has_no_default) {
    Unset options;
    ASSERT_TRUE(console::parse({}, unset_schema, options).ok());
    EXPECT_FALSE(options.distance || options.share);
    FixedText<256> out;
    console::print_help(out, unset_schema, options);
    EXPECT_EQ(out.view(), "  --distance COUNT  tasks ahead (none given: its own); 0 to 64\n"
                          "  --share NUMBER    of all; 0.5 to 1\n");
}

TEST(Options, what_may_be_left_out_is_read_like_any_other) {
    Unset options;
    std::vector<std::string_view> words{"--distance=0", "--share", "0.75"};
    ASSERT_TRUE(console::parse(words, unset_schema, options).ok());
    EXPECT_EQ(options.distance, 0U);
    EXPECT_EQ(options.share, 0.75);
    FixedText<256> out;
    console::print_help(out, unset_schema, options);
    EXPECT_EQ(out.view(), "  --distance COUNT  tasks ahead (none given: its own); 0 to 64; default 0\n"
                          "  --share NUMBER    of all; 0.5 to 1; default 0.75\n");
    words = {"--distance", "65"};
    EXPECT_EQ(console::parse(words, unset_schema, options).error().message(),
              "--distance: expected a count such as 24M (0 to 64), got '65'");
}

std::string completed(std::vector<std::string_view> const& before, std::string_view word) {
    console::Candidates candidates;
    candidates.start(word);
    console::complete_options(before, options_schema, candidates);
    std::string result;
    for (console::Candidate const& candidate : candidates.sorted()) {
        result += std::string(candidate.lead) + std::string(candidate.name) + " ";
    }
    return result;
}

TEST(Options, completion_offers_what_may_still_come) {
    EXPECT_EQ(completed({}, "--l"), "--layout --load ");
    EXPECT_EQ(completed({"--layout=open"}, "--l"), "--load ");
    EXPECT_EQ(completed({"--layout"}, ""), "chained open ");
    EXPECT_EQ(completed({"--ops"}, ""), "") << "a count comes next";
}

TEST(Values, counts) {
    struct Good {
        std::string_view text;
        std::uint64_t value;
    };
    for (Good const& good :
         {Good{"0", 0}, Good{"24M", 24'000'000}, Good{"1.5K", 1500}, Good{"1.5Ki", 1536}, Good{"10k", 10'000},
          Good{"2mi", 2 << 20}, Good{"24m", 24'000'000}, Good{"2Mi", 2 << 20}, Good{".5G", 500'000'000}, Good{"1.0", 1},
          Good{"0.0000000010000000000G", 1}, Good{"4Gi", 4ULL << 30}, Good{"18446744073709551615", UINT64_MAX},
          Good{"18446744073.709551615G", UINT64_MAX}}) {
        auto const count = console::parse_count(good.text);
        ASSERT_TRUE(count.ok()) << good.text;
        EXPECT_EQ(count.value(), good.value) << good.text;
    }
    for (std::string_view const bad :
         {"", ".", "1.", "M", "1.M", "+1", " 1", "1 ", "1KM", "1.5", "1.0005K", "0x10", "18446744073709551616",
          "18446744073709551616G", "18446744073.709551616G", "17179869184Gi", "1.2.3", "1,5", "0.00000000001G"}) {
        EXPECT_FALSE(console::parse_count(bad).ok()) << bad;
    }
    EXPECT_EQ(console::parse_count("x").error().message(), "expected a count such as 24M, got 'x'");
    EXPECT_EQ(console::parse_count("x", 2).error().message(), "expected a count such as 24M (no less than 2), got 'x'");
}

TEST(Values, counts_are_printed_with_the_largest_exact_suffix) {
    auto const printed = [](std::uint64_t count) {
        FixedText<32> out;
        console::print_count(out, count);
        return std::string(out.view());
    };
    EXPECT_EQ(printed(0), "0");
    EXPECT_EQ(printed(1001), "1001");
    EXPECT_EQ(printed(24'000'000), "24M");
    EXPECT_EQ(printed(4096), "4096");
    EXPECT_EQ(printed(65536), "64Ki");
    EXPECT_EQ(printed(10'000), "10K");
    EXPECT_EQ(printed(1'024'000), "1024K");
    for (std::uint64_t const count : {1ULL, 1536ULL, 1'500'000ULL, 3ULL << 30, 18'446'744'073'709'551'615ULL}) {
        EXPECT_EQ(console::parse_count(printed(count)).value(), count);
    }
}

TEST(Values, numbers) {
    EXPECT_EQ(console::parse_number("0.1", 0, 1).value(), 0.1);
    EXPECT_EQ(console::parse_number("12.25", 0, 100).value(), 12.25);
    for (std::string_view const bad : {"", "-1", "1.5", "nan", "1e0", "0.0000000000000000001"}) {
        EXPECT_FALSE(console::parse_number(bad, 0, 1).ok()) << bad;
    }
    FixedText<32> out;
    console::print_number(out, 0.000001);
    EXPECT_EQ(out.view(), "0.000001");
}

} // namespace mxk::probe
