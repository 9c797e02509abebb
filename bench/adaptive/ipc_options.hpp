// What `bench adaptive ipc` can measure, and what it can be told.
#pragma once

#include <array>
#include <cstdint>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

// How the operation is kept from others: not at all; by a task of its own at the owner's core, which is this one; by a
// lock; by a dynamic lock over that one, without and with it; by a cascade in its three states.
enum class IpcWay : std::uint8_t {
    None,
    Message,
    Spin,
    Mcs,
    DynamicDisabled,
    EnabledSpin,
    EnabledMcs,
    CascadeNone,
    CascadeCoarse,
    CascadeFine
};

// As they are typed and as they stand in results.
constexpr auto value_names(IpcWay) {
    using Named = console::NamedValue<IpcWay>;
    return std::array{Named{IpcWay::None, "none"},
                      Named{IpcWay::Message, "message"},
                      Named{IpcWay::Spin, "lock"},
                      Named{IpcWay::Mcs, "lock-mcs"},
                      Named{IpcWay::DynamicDisabled, "dynamic"},
                      Named{IpcWay::EnabledSpin, "dynamic-on"},
                      Named{IpcWay::EnabledMcs, "dynamic-on-mcs"},
                      Named{IpcWay::CascadeNone, "cascade-none"},
                      Named{IpcWay::CascadeCoarse, "cascade-coarse"},
                      Named{IpcWay::CascadeFine, "cascade-fine"}};
}
constexpr Placement placement_of(IpcWay) {
    return Placement::OneCore;
}

struct IpcOptions : CostOptions {
    NameSet<IpcWay> measures{};
    std::uint64_t operations = 1'000'000;

    // For the row.
    [[nodiscard]] static Settings settings_of(IpcWay) { return {}; }
};

constexpr auto ipc_schema = console::schema<IpcOptions>(
    console::option<&IpcOptions::measures>("measure",
                                           "ways to keep an operation from others, with commas between (none "
                                           "given: all)"),
    cost_option::cores, console::option<&IpcOptions::operations>("ops", "per run", console::between(1, 4'000'000'000)),
    run_option::repeat, run_option::warm_up, run_option::json);

} // namespace mxk::bench
