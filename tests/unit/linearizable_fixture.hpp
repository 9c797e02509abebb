// Many short recorded runs on a Runtime, for tables that are right and tables that are not.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "main/library/runtime.hpp"
#include "tests/unit/recorded_run.hpp"
#include "tests/unit/two_phases.hpp"

namespace mxk::test {

class LinearizableRuns : public testing::Test {
  protected:
    static constexpr std::size_t cores = 4;

    template <typename Body> static void with_runtime(Body body) {
        auto runtime = Runtime::start({.cores = cores, .nodes = 2, .memory_bytes = 256 * MiB});
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        runtime.value().run(body);
    }

    // run(number) makes a run and gives its history.
    template <typename Run> static void expect_linearizable(std::uint64_t runs, Run run) {
        std::size_t operations = 0;
        std::size_t overlaps = 0;
        for (std::uint64_t number = 0; number < runs; ++number) {
            std::vector<Event> const history = run(number);
            auto const why = why_not_linearizable(history);
            ASSERT_FALSE(why) << "run " << number << ", " << *why;
            operations += history.size();
            overlaps += overlapping(history);
        }
        EXPECT_GT(overlaps, operations / 4) << "of " << operations << ": too few to prove anything";
    }

    // What the checker says first, if it says anything in so many runs.
    template <typename Run> static std::optional<std::string> first_fault(std::uint64_t runs, Run run) {
        for (std::uint64_t number = 0; number < runs; ++number)
            if (auto const why = why_not_linearizable(run(number))) return why;
        return std::nullopt;
    }
};

} // namespace mxk::test
