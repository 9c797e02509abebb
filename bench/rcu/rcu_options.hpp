// What `bench rcu` can measure, and what it can be told.
#pragma once

#include <array>
#include <cstdint>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

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

constexpr Placement placement_of(RcuMeasure measure) {
    bool const is_alone = measure == RcuMeasure::Section || measure == RcuMeasure::Callback;
    return is_alone ? Placement::OneCore : Placement::SameNode;
}

struct RcuOptions : CostOptions {
    NameSet<RcuMeasure> measures{};
    RcuKind kind = RcuKind::Qsbr;
    std::uint64_t operations = 1'000'000;
    std::uint32_t waits = 2000;

    // For the row.
    [[nodiscard]] Settings settings_of(RcuMeasure) const {
        Settings settings;
        settings.add("rcu", name_of(kind));
        return settings;
    }
};

constexpr auto rcu_schema = console::schema<RcuOptions>(
    console::option<&RcuOptions::measures>(
        "measure", "section, callback, synchronize, expedite (none given: all that the machine can do)"),
    console::option<&RcuOptions::kind>("rcu", "whose: MXK's, or A-RCU, whose detector asks cores by interrupts"),
    cost_option::cores,
    console::option<&RcuOptions::operations>("ops", "per run: section, callback", console::between(1, 4'000'000'000)),
    console::option<&RcuOptions::waits>("waits", "per run: synchronize, expedite", console::between(1, 10'000'000)),
    run_option::repeat, run_option::warm_up, run_option::json);

} // namespace mxk::bench
