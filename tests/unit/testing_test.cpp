#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "kernel/console/shell.hpp"
#include "kernel/testing.hpp"

namespace {

class Output final : public mxk::TextSink {
  public:
    void write(std::string_view more) override { text += more; }
    std::string text;
};

struct WithoutText {
    int value;
    bool operator==(WithoutText const&) const = default;
};

bool long_one_ran = false;

MXK_TEST(unit_pass, holds) {
    std::size_t const size = 4;
    MXK_CHECK(size > 3);
    MXK_CHECK_EQUAL(size, 4);
    MXK_CHECK_EQUAL(std::string_view("a"), "a");
    MXK_CHECK_EQUAL(WithoutText{1}, (WithoutText{1}));
}
MXK_TEST(unit_fail, goes_on_after_a_failed_check) {
    int const three = 3;
    MXK_CHECK(three == 4);
    MXK_CHECK_EQUAL(three, -4);
    MXK_CHECK_EQUAL(three, three);
    MXK_CHECK_EQUAL(WithoutText{1}, (WithoutText{2}));
}
MXK_TEST(unit_fail, many_cores_at_once) {
    std::vector<std::thread> cores;
    for (int core = 0; core < 4; ++core) {
        cores.emplace_back([] {
            for (int i = 0; i < 100; ++i) MXK_CHECK(i < 50);
        });
    }
    for (std::thread& core : cores) core.join();
}
MXK_TEST(unit_skip, says_why) {
    MXK_SKIP("needs two nodes");
    MXK_CHECK(false);
}
MXK_TEST(unit_skip, but_failed_before) {
    MXK_CHECK(false);
    MXK_SKIP("too late");
}
bool unsafe_one_ran = false;
std::vector<std::uint64_t> seeds;

MXK_UNSAFE_TEST(unit_unsafe, runs_when_named) {
    unsafe_one_ran = true;
}
MXK_TEST(unit_seed, draws) {
    seeds.push_back(mxk::inner_tests::seed());
    MXK_CHECK(seeds.back() != 9);
}
MXK_LONG_TEST(unit_long, runs_when_asked) {
    long_one_ran = true;
}

struct KernelTests : testing::Test {
    static inline Output log; // the log keeps a reference beyond the test
    Output out;
    mxk::console::Shell shell{out};

    void SetUp() override {
        log.text.clear();
        mxk::log::set_sink(log);
    }
    // The output with every "N ms" as "_ ms".
    std::string said(std::string_view line) {
        out.text.clear();
        shell.execute(line);
        std::string result;
        for (std::size_t at = 0; at < out.text.size(); ++at) {
            std::size_t end = at;
            while (end < out.text.size() && std::isdigit(static_cast<unsigned char>(out.text[end])) != 0) ++end;
            bool const is_time = end > at && out.text.compare(end, 3, " ms") == 0;
            if (is_time) at = end - 1;
            result += is_time ? '_' : out.text[at];
        }
        return result;
    }
};

TEST_F(KernelTests, passing) {
    EXPECT_EQ(said("test unit_pass"), "TEST unit_pass.holds PASS _ ms\n1 passed, 0 failed, 0 skipped\n");
    EXPECT_EQ(log.text, "");
    EXPECT_FALSE(shell.failed());
}

TEST_F(KernelTests, failing_says_where_and_what) {
    EXPECT_EQ(
        said("test unit_fail.goes"),
        "TEST unit_fail.goes_on_after_a_failed_check FAIL _ ms (failed checks: 3)\n0 passed, 1 failed, 0 skipped\n");
    EXPECT_TRUE(shell.failed());
    EXPECT_NE(log.text.find(": check failed: three == 4\n"), std::string::npos) << log.text;
    EXPECT_NE(log.text.find(": check failed: three == -4: 3 and -4\n"), std::string::npos) << log.text;
    EXPECT_NE(log.text.find("(a value without text)"), std::string::npos) << log.text;
}

TEST_F(KernelTests, checks_on_many_cores_are_all_counted) {
    EXPECT_EQ(said("test unit_fail.many"),
              "TEST unit_fail.many_cores_at_once FAIL _ ms (failed checks: 200)\n0 passed, 1 failed, 0 skipped\n");
}

TEST_F(KernelTests, skipping) {
    EXPECT_EQ(said("test unit_skip"), "TEST unit_skip.but_failed_before FAIL _ ms (failed checks: 1)\n"
                                      "TEST unit_skip.says_why SKIP (needs two nodes)\n"
                                      "0 passed, 1 failed, 1 skipped\n");
}

TEST_F(KernelTests, long_ones_run_when_asked) {
    EXPECT_EQ(said("test unit_long"), "TEST unit_long.runs_when_asked SKIP (long; use --long)\n"
                                      "0 passed, 0 failed, 1 skipped\n");
    EXPECT_FALSE(long_one_ran);
    EXPECT_EQ(said("test unit_long --long"),
              "TEST unit_long.runs_when_asked PASS _ ms\n1 passed, 0 failed, 0 skipped\n");
    EXPECT_TRUE(long_one_ran);
}

TEST_F(KernelTests, unsafe_ones_run_when_named_and_fail_if_they_come_back) {
    std::string const skipped =
        "TEST unit_unsafe.runs_when_named SKIP (unsafe: it ends the kernel, if its name is typed)\n";
    EXPECT_EQ(said("test unit_uns"), skipped + "0 passed, 0 failed, 1 skipped\n");
    EXPECT_NE(said("test unit_").find(skipped), std::string::npos);
    EXPECT_FALSE(unsafe_one_ran);
    EXPECT_EQ(said("test --list unit_u"), "unit_unsafe.runs_when_named (unsafe)\n");
    for (std::string const name : {"unit_unsafe", "unit_unsafe.", "unit_unsafe.runs_when_named"}) {
        unsafe_one_ran = false;
        EXPECT_EQ(said("test " + name), "TEST unit_unsafe.runs_when_named FAIL _ ms (failed checks: 1)\n"
                                        "0 passed, 1 failed, 0 skipped\n");
        EXPECT_TRUE(unsafe_one_ran) << name;
    }
}

TEST_F(KernelTests, a_star_is_all_of_them) {
    EXPECT_EQ(said("test --list *"), said("test --list"));
    EXPECT_NE(said("test --list *").find("unit_pass.holds\n"), std::string::npos);
}

TEST_F(KernelTests, a_seed_is_set_and_stands_in_the_verdict) {
    seeds.clear();
    EXPECT_EQ(said("test unit_seed"), "TEST unit_seed.draws PASS _ ms, seed 1\n1 passed, 0 failed, 0 skipped\n");
    EXPECT_EQ(said("test unit_seed --seed 8 --repeat 2"),
              "TEST unit_seed.draws PASS _ ms, seed 8\n"
              "TEST unit_seed.draws FAIL _ ms (failed checks: 1), seed 9\n1 passed, 1 failed, 0 skipped\n");
    EXPECT_EQ(seeds, (std::vector<std::uint64_t>{1, 8, 9}));
}

TEST_F(KernelTests, several_prefixes_list_and_repeat) {
    EXPECT_EQ(said("test --list unit_skip unit_l"),
              "unit_long.runs_when_asked (long)\nunit_skip.but_failed_before\nunit_skip.says_why\n");
    EXPECT_EQ(said("test unit_pass --repeat 2"), "TEST unit_pass.holds PASS _ ms\nTEST unit_pass.holds PASS _ ms\n"
                                                 "2 passed, 0 failed, 0 skipped\n");
}

TEST_F(KernelTests, a_prefix_without_a_test_is_an_error_and_nothing_runs) {
    EXPECT_EQ(said("test unit_pass nosuch"), "error: no test begins with 'nosuch'; 'test --list' shows all\n");
    EXPECT_EQ(said("test --repeat 0"), "error: --repeat: expected a count such as 24M (1 to 1000000), got '0'\n");
    EXPECT_TRUE(shell.failed());
}

} // namespace
