// The experiments of the thesis on Bobox (Z. Falt, Prague 2010; E1 to E24 are in the order of its text): which commands
// measure one here, and what the thesis says of it. Where it has a number, what holds is half of it to twice as much;
// where it names no workload, the direction on the commands' own. A statement about speed says nothing while the 95 %
// interval of what was measured reaches over an end of what is expected, and nothing on an emulated machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bench/frame/grid.hpp"
#include "kernel/console/invocation.hpp"

namespace mxk::bench {

// A value and its 95 % interval; both ends are the value where nothing is known of its spread.
struct Estimate {
    double value = 0;
    double low = 0;
    double high = 0;

    bool operator==(Estimate const&) const = default;

    static Estimate of(Summary const& summary);
    // To the first order, as if both were independent.
    [[nodiscard]] std::optional<Estimate> by(Estimate const& divisor) const;
    // None: it may hold, or not.
    [[nodiscard]] std::optional<bool> lies_in(Bound const& bound) const;
};

// Rows of one part, on the largest set of cores that it was measured on.
struct RowChoice {
    enum class Which : std::uint8_t { Only, Largest, Smallest };

    std::string_view title{};   // what stands between commas in a row's title, with blanks or without; "*": has a mark
    std::string_view part{};    // its name; empty: the first
    std::string_view finding{}; // empty: the median
    Which which = Which::Only;
};

struct BoboxStatement {
    std::string_view says;
    Bound bound{};
    RowChoice over{};
    std::optional<RowChoice> under{};
    // A quotient that the first one is divided by.
    std::optional<RowChoice> other_over{};
    std::optional<RowChoice> other_under{};
    bool is_of_speed = true;
    // What this machine lacks for it to say anything, besides what rows say; empty: nothing.
    std::string_view (*lacks)() = nullptr;
};

struct BoboxPart {
    std::string_view name{}; // empty: the only one
    std::string_view command;
};

struct BoboxExperiment {
    std::string_view number;
    std::string_view title;
    std::span<BoboxPart const> parts{};
    std::string_view size_option{}; // says how much is done
    std::uint64_t size = 0;
    std::string_view cores{}; // where none are chosen; empty: all
    std::span<BoboxStatement const> statements{};
    std::string_view not_built{}; // why there are no parts
};

// All, by their numbers.
std::span<BoboxExperiment const> bobox_experiments();

struct BoboxOptions : CoreSetOptions {
    std::uint32_t part = 1; // of its size, one by this
};

void print_bobox_command(TextSink& out, BoboxExperiment const& experiment, BoboxPart const& part,
                         BoboxOptions const& options);
console::Outcome run_bobox(console::Invocation& invocation, BoboxExperiment const& experiment,
                           BoboxOptions const& options);

} // namespace mxk::bench
