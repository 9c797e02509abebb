// Runtimes that run the programs of `bench fork-join`: one that forks nothing, ours, and, in peers/, libraries of
// others with threads of their own. Each registers itself where it is defined:
//
//     constexpr ForkPeer tbb{.name = "tbb", .print_library = &print_library, .run = &run};
//     MXK_REGISTER(mxk_fork_peers, ForkPeer, tbb);
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "bench/fork/fork_program.hpp"
#include "bench/frame/kind_names.hpp"

namespace mxk::bench {

struct ForkOutcome {
    Cycles elapsed{};
    std::optional<std::array<std::uint64_t, 3>> steals{}; // by StealDistance, where they are counted
};

struct ForkPeer {
    std::string_view name;
    std::string_view missing{};                     // why it was not built; empty: it was
    void (*print_library)(TextSink& out) = nullptr; // with its version
    // ForkProgram::time() on as many threads as there are cores, on these cores' processors. Errors: what the library
    // says. The console's task; blocks it until done.
    Result<ForkOutcome> (*run)(ForkProgram& program, std::span<CoreId const> cores) = nullptr;
};

MXK_REGISTRY(mxk_fork_peers, ForkPeer, registered_fork_peers)

template <> struct KindRegistry<ForkPeer> {
    static constexpr auto all = &registered_fork_peers;
    static constexpr std::string_view what = "runtime";
    static constexpr std::string_view list = "help bench fork-join";
    static constexpr std::string_view none_given = "all";
};

} // namespace mxk::bench
