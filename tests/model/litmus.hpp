// Small programs without branches, written as in the literature, and their executions: those that the model checker
// finds, and those that a second, plain enumerator finds, which tries every source of every read and every order of
// writes and keeps what RC11's axioms allow, written down as relations (O. Lahav et al., PLDI 2017, figures 3 and 4).
//
//     "x=1 rlx; r0=y acq"    a store, a load        "r1=x+2 sc"    an update that adds        "fence sc", "light",
//     "heavy"
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/model/execution_graph.hpp"

namespace mxk::test {

struct LitmusStep {
    enum class Kind : std::uint8_t { Load, Store, Add, Fence };
    Kind kind = Kind::Load;
    std::size_t place = 0;   // x, y, z, w
    std::uint64_t value = 0; // stored or added
    std::size_t result = 0;  // r0 to r7
    std::memory_order order = std::memory_order_relaxed;
    Fence fence = Fence::None;
};
using LitmusThread = std::vector<LitmusStep>;
using LitmusProgram = std::vector<LitmusThread>;

inline constexpr std::size_t litmus_places = 4;
inline constexpr std::size_t litmus_results = 8;
// r0 to r7, then what x, y, z, w are in the end.
using LitmusOutcome = std::vector<std::uint64_t>;

struct LitmusExecutions {
    std::size_t count = 0;
    std::set<LitmusOutcome> outcomes;
    bool operator==(LitmusExecutions const&) const = default;
};

// A wrong text ends the program.
LitmusProgram litmus_program(std::vector<std::string> const& threads);
std::string text_of(LitmusProgram const& program);
// Whether some outcome has all of "r0=1 r1=0 x=2".
bool has(LitmusExecutions const& executions, std::string const& outcome);

LitmusExecutions explored(LitmusProgram const& program);
LitmusExecutions enumerated(LitmusProgram const& program);

} // namespace mxk::test
