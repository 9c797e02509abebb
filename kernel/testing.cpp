#include "kernel/testing.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/log.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/named.hpp"
#include "kernel/console/options.hpp"
#include "kernel/test_remark.hpp"

namespace mxk::inner_tests {
namespace {

using console::Candidates;
using console::Invocation;
using console::Outcome;

// The test that runs; there is one at a time. Relaxed throughout: the body itself waits for the cores that make checks,
// and that wait is what orders their counts before the verdict.
constinit std::atomic<std::uint32_t> failures{0};
constinit std::atomic<char const*> skip_reason{nullptr};
constinit std::atomic<std::uint64_t> current_seed{default_seed};
constinit std::atomic<bool> seed_is_used{false};
// Of the body, which runs on the console's core.
struct Remark {
    std::uint64_t count = 0;
    char const* what = nullptr;
};
constinit Remark its_remark{};

struct Tally {
    std::uint32_t passed = 0;
    std::uint32_t failed = 0;
    std::uint32_t skipped = 0;
};

struct TestOptions {
    console::WordList prefixes;
    bool run_long = false;
    bool list = false;
    std::uint32_t repeat = 1;
    std::uint64_t seed = default_seed;
};

constexpr auto test_schema = console::schema<TestOptions>(
    console::positional<&TestOptions::prefixes>("PREFIX", "only tests whose name begins so; none, or *: all tests"),
    console::flag<&TestOptions::run_long>("long", "also those that take minutes on an emulated machine"),
    console::flag<&TestOptions::list>("list", "show the names, run nothing"),
    console::option<&TestOptions::repeat>("repeat", "run all of them so often", console::between(1, 1'000'000)),
    console::option<&TestOptions::seed>("seed", "of what they do at random; each repetition has the next one",
                                        console::between(0, 1'000'000'000)));

constexpr std::string_view everything = "*";

bool begins(Test const& test, std::string_view prefix) {
    return prefix == everything || test.name.starts_with(prefix);
}

// Its whole name, or what stands before the point of it, with or without that.
bool names(Test const& test, std::string_view prefix) {
    return prefix.size() >= test.name.find('.') && test.name.starts_with(prefix);
}

bool is_chosen(Test const& test, TestOptions const& options) {
    auto const prefixes = options.prefixes.values();
    return prefixes.empty() ||
           std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return begins(test, prefix); });
}

bool is_named(Test const& test, TestOptions const& options) {
    auto const prefixes = options.prefixes.values();
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return names(test, prefix); });
}

std::string_view remark(Test::Kind kind) {
    switch (kind) {
    case Test::Kind::Long: return " (long)";
    case Test::Kind::Unsafe: return " (unsafe)";
    case Test::Kind::Short: break;
    }
    return "";
}

// Every prefix must mean something: a misspelt one that silently runs nothing would look like success.
Result<void> check_prefixes(TestOptions const& options) {
    auto const tests = registered_tests();
    if (tests.empty()) return Error("no tests in this program: mxk-test has them");
    for (std::string_view const prefix : options.prefixes.values()) {
        bool const known =
            std::any_of(tests.begin(), tests.end(), [&](Test const* test) { return begins(*test, prefix); });
        if (!known) return Error::of("no test begins with '{}'; 'test --list' shows all", prefix);
    }
    return {};
}

// A verdict without the end of its line.
template <typename... Arguments>
void say(TextSink& out, Test const& test, FormatString<std::type_identity_t<Arguments>...> verdict,
         Arguments const&... arguments) {
    format(out, "TEST {} ", test.name);
    format(out, verdict, arguments...);
    if (seed_is_used.load(std::memory_order_relaxed))
        format(out, ", seed {}", current_seed.load(std::memory_order_relaxed));
    out.write("\n");
}

void run_one(Test const& test, TestOptions const& options, std::uint64_t seed, TextSink& out, Tally& tally) {
    if (test.kind == Test::Kind::Long && !options.run_long) {
        ++tally.skipped;
        return format(out, "TEST {} SKIP (long; use --long)\n", test.name);
    }
    if (test.kind == Test::Kind::Unsafe && !is_named(test, options)) {
        ++tally.skipped;
        return format(out, "TEST {} SKIP (unsafe: it ends the kernel, if its name is typed)\n", test.name);
    }
    begin_checks();
    seed_is_used.store(false, std::memory_order_relaxed);
    current_seed.store(seed, std::memory_order_relaxed);
    skip_reason.store(nullptr, std::memory_order_relaxed);
    its_remark = {};
    std::uint64_t const start = raw(clock::now());
    test.body();
    std::uint64_t const milliseconds = (raw(clock::now()) - start) / 1'000'000;

    char const* const reason = skip_reason.load(std::memory_order_relaxed);
    if (test.kind == Test::Kind::Unsafe && reason == nullptr)
        fail_check("a test that ends the kernel does not come back", std::source_location::current());
    std::uint32_t const failed = failed_checks();
    if (failed > 0) {
        ++tally.failed;
        say(out, test, "FAIL {} ms (failed checks: {})", milliseconds, failed);
    } else if (reason != nullptr) {
        ++tally.skipped;
        say(out, test, "SKIP ({})", reason);
    } else {
        ++tally.passed;
        FixedText<64> remark;
        if (its_remark.what != nullptr) format(remark, " ({} {})", its_remark.count, its_remark.what);
        say(out, test, "PASS {} ms{}", milliseconds, remark.view());
    }
}

// Ctrl-C ends it behind the test that runs.
Outcome run_chosen(TestOptions const& options, Invocation& invocation) {
    Tally tally;
    for (std::uint32_t round = 0; round < options.repeat; ++round) {
        console::for_each_by_name(registered_tests(), [&](Test const& test) {
            if (is_chosen(test, options) && !invocation.cancelled())
                run_one(test, options, options.seed + round, invocation.out, tally);
        });
    }
    format(invocation.out, "{} passed, {} failed, {} skipped\n", tally.passed, tally.failed, tally.skipped);
    if (auto const whole = invocation.check_cancelled(); !whole) return invocation.fail(whole.error());
    return tally.failed == 0 ? Outcome::Ok : Outcome::Failed;
}

Outcome run_tests(Invocation& invocation, TestOptions const& options) {
    if (auto const checked = check_prefixes(options); !checked) return invocation.fail(checked.error());
    if (!options.list) return run_chosen(options, invocation);
    console::for_each_by_name(registered_tests(), [&](Test const& test) {
        if (is_chosen(test, options)) format(invocation.out, "{}{}\n", test.name, remark(test.kind));
    });
    return Outcome::Ok;
}

// The groups, until one of them is typed: tests are too many to be listed.
void offer_tests(std::span<std::string_view const>, Candidates& candidates) {
    bool const has_group = candidates.word().find('.') != std::string_view::npos;
    for (Test const* const test : registered_tests())
        candidates.offer(has_group ? test->name : test->name.substr(0, test->name.find('.')));
}

constexpr auto test_command = console::command<&run_tests, test_schema>(
    {.name = "test",
     .summary = "run the tests that are built into the kernel",
     .group = "tests",
     .notes =
         "Example: test memory tasks.queue --repeat 10 --seed 7\n"
         "Each test ends with a line TEST NAME PASS|FAIL|SKIP, with the seed where it has used one, all of them "
         "with a line\nof counts. The command fails if a test does. A test that ends the kernel runs only where its "
         "name is typed.\n",
     .more_words = &offer_tests});
MXK_REGISTER(mxk_commands, console::Command, test_command);

} // namespace

void begin_checks() {
    failures.store(0, std::memory_order_relaxed);
}
std::uint32_t failed_checks() {
    return failures.load(std::memory_order_relaxed);
}

void fail_check(std::string_view expression, std::source_location where) {
    failures.fetch_add(1, std::memory_order_relaxed);
    log::error("{}:{}: check failed: {}", where.file_name(), where.line(), expression);
}

void fail_comparison(std::string_view expression, FormatArgument a, FormatArgument b, std::source_location where) {
    failures.fetch_add(1, std::memory_order_relaxed);
    FixedText<64> first;
    FixedText<64> second;
    format_erased(first, "{}", {&a, 1});
    format_erased(second, "{}", {&b, 1});
    log::error("{}:{}: check failed: {}: {} and {}", where.file_name(), where.line(), expression, first.view(),
               second.view());
}

std::uint64_t seed() {
    seed_is_used.store(true, std::memory_order_relaxed);
    return current_seed.load(std::memory_order_relaxed);
}

void remark(std::uint64_t count, char const* what) {
    its_remark = {count, what};
}

void skip(char const* reason) {
    skip_reason.store(reason, std::memory_order_relaxed);
}

} // namespace mxk::inner_tests
