// A figure of the thesis (section 4) by its number: what is measured, and what the thesis says of it. Its curves are
// rows of `bench table`, each with options of its own, over numbers of cores; they are measured in turn, as the
// configurations of one benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bench/frame/grid.hpp"

namespace mxk::bench {

// One curve.
struct Series {
    std::string_view name;
    std::string_view options;              // of `bench table`: all that the thesis says of it, defaults, too
    bool needs_syscall_semaphores = false; // is left out by a build that has none
};

// What the statements of a figure are judged by.
class FigureResults {
  public:
    // Operations per second of a curve on so many cores; none: not measured.
    [[nodiscard]] virtual std::optional<double> throughput(std::string_view series, std::size_t cores) const = 0;
    // Entries that a run of it has lost.
    [[nodiscard]] virtual std::optional<std::uint64_t> lost(std::string_view series, std::size_t cores) const = 0;
    // What was measured, in order.
    [[nodiscard]] virtual std::span<std::uint32_t const> core_counts() const = 0;

  protected:
    ~FigureResults() = default;
};

// What the thesis says, as a value and where that has to lie for it to hold here.
struct Statement {
    using As = Bound::As;
    static constexpr double no_limit = Bound::none;

    std::string_view says;
    // What the curves that it sets beside each other differ in, as rows call it; empty: it is about one curve.
    std::string_view varies;
    As as;
    double low; // no less than 0
    double high;
    // None: the machine has too few cores, or they were not chosen.
    std::optional<double> (*value)(FigureResults const& results);

    [[nodiscard]] constexpr Bound bound() const { return {.low = low, .high = high, .as = as, .in_words = true}; }
};

struct Figure {
    std::string_view number; // of the thesis
    std::string_view title;
    std::span<Series const> series;
    std::span<Statement const> statements;
    std::uint64_t operations = 24'000'000; // the thesis'
    bool is_per_core = false;              // shows the throughput of one core, not that of all
};

// All there are, in the order of their numbers (thesis_figures.cpp). Any core.
std::span<Figure const> thesis_figures();

// The numbers of cores of the thesis' machine.
inline constexpr std::uint32_t thesis_cores[] = {1, 2, 4, 8, 12, 16};

} // namespace mxk::bench
