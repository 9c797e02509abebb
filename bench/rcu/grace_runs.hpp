// What read-copy-update costs, in cycles.
//
// section: a thread enters and leaves one, again and again. (In a task it is nothing.)
//
// callback: a task gives callbacks to its core in a row, each of them again once it has run: what call(), waiting, and
// running it cost together, of a core that does nothing else.
//
// synchronize, expedite: a task waits for a grace period while both cores run short tasks without a pause; each wait
// from the call to the turn after.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/progress.hpp"

namespace mxk::bench {

enum class RcuMeasure : std::uint8_t { Section, Callback, Synchronize, Expedite };

// As they are typed and as they stand in results.
constexpr auto value_names(RcuMeasure) {
    using Named = console::NamedValue<RcuMeasure>;
    return std::array{Named{RcuMeasure::Section, "section"}, Named{RcuMeasure::Callback, "callback"},
                      Named{RcuMeasure::Synchronize, "synchronize"}, Named{RcuMeasure::Expedite, "expedite"}};
}

// Which grace periods are measured: those that all else uses, or those of tasks/rcu/a_rcu.hpp.
enum class RcuKind : std::uint8_t { Qsbr, ARcu };

constexpr auto value_names(RcuKind) {
    using Named = console::NamedValue<RcuKind>;
    return std::array{Named{RcuKind::Qsbr, "qsbr"}, Named{RcuKind::ARcu, "a-rcu"}};
}

// A run of so many sections, callbacks or waits. The console's task; blocks it until the run is over. Errors: no
// memory, no thread, Ctrl-C.
[[nodiscard]] Result<Sample> run_rcu(RcuKind kind, RcuMeasure measure, CorePair cores, std::uint64_t count,
                                     Progress& progress);

} // namespace mxk::bench
