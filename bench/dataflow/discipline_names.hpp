// The disciplines of the dataflow scheduler by name, as they are typed and as they stand in results.
#pragma once

#include <array>

#include "bench/frame/names.hpp"
#include "kernel/console/options.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {

constexpr auto value_names(Discipline) {
    using Named = console::NamedValue<Discipline>;
    return std::array{Named{Discipline::Requests, "requests"}, Named{Discipline::TwoFifos, "two-fifos"},
                      Named{Discipline::OneFifo, "one-fifo"},  Named{Discipline::OneLifo, "one-lifo"},
                      Named{Discipline::Original, "original"}, Named{Discipline::CoreFifo, "core-fifo"}};
}

constexpr auto value_names(VictimOrder) {
    using Named = console::NamedValue<VictimOrder>;
    return std::array{Named{VictimOrder::NearestFirst, "nearest"}, Named{VictimOrder::FarthestFirst, "farthest"}};
}

constexpr auto value_names(SleepRule) {
    using Named = console::NamedValue<SleepRule>;
    return std::array{Named{SleepRule::Strict, "strict"}, Named{SleepRule::Loose, "loose"}};
}

} // namespace mxk::dataflow

namespace mxk::bench {

using dataflow::Discipline;
using DisciplineSet = NameSet<Discipline>;

constexpr DisciplineSet all_disciplines{Discipline::Requests, Discipline::TwoFifos, Discipline::OneFifo,
                                        Discipline::OneLifo,  Discipline::Original, Discipline::CoreFifo};

} // namespace mxk::bench
