// What all benchmarks of contended locks can be told.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "bench/lock/lock_names.hpp"
#include "kernel/console/options.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/handed.hpp"

namespace mxk::bench {

// What locks are made of: one memory, or regions whose far words take a while and are counted.
enum class LockFabric : std::uint8_t { Smp, Emu };

// As they are typed and as they stand in results.
constexpr auto value_names(LockFabric) {
    return std::array{console::NamedValue{LockFabric::Smp, "smp"}, console::NamedValue{LockFabric::Emu, "emu"}};
}

struct LockOptions : CoreSetOptions {
    constexpr LockOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}
    LockNames locks{};
    LockFabric fabric = LockFabric::Smp;
    std::uint32_t nodes = 0;                                     // 0: the machine's
    std::uint32_t latency = raw(locks::EmulatedTimes{}.latency); // nanoseconds
    std::uint32_t near_latency = raw(locks::EmulatedTimes{}.near_latency);
    std::uint32_t service = raw(locks::EmulatedTimes{}.service);
    std::uint32_t passes = locks::default_passes;
    std::optional<std::uint32_t> passes_in_cache{}; // none: as many
    std::uint32_t milliseconds = 100;               // of a run, a tenth of them for warm-up
    std::optional<std::uint32_t> look_every{};
    std::uint64_t seed = 1;

    [[nodiscard]] locks::MaxPasses max_passes() const { return {passes_in_cache.value_or(passes), passes}; }
};

namespace lock_option {
constexpr auto locks = console::option<&LockOptions::locks>("lock", "kinds, with commas between; all (none given: "
                                                                    "some of the fabric's)");
constexpr auto fabric = console::option<&LockOptions::fabric>(
    "fabric", "what locks are made of: one memory, or emulated regions, whose operations are counted");
constexpr auto nodes = console::option<&LockOptions::nodes>(
    "nodes", "made up, of equal size, each with two caches (0: the machine's own)", console::between(0, 1024));
constexpr auto latency = console::option<&LockOptions::latency>(
    "latency", "nanoseconds from a node to another one, of emu; an operation goes there and back",
    console::between(0, 10'000'000));
constexpr auto near_latency = console::option<&LockOptions::near_latency>(
    "near-latency", "nanoseconds of an operation on the own node, of emu", console::between(0, 10'000'000));
constexpr auto service = console::option<&LockOptions::service>(
    "service", "nanoseconds of a node's network card for each operation of others, one after the other, of emu",
    console::between(0, 10'000'000));
constexpr auto passes = console::option<&LockOptions::passes>(
    "passes", "how often a lock may stay within a node while others wait", console::between(1, locks::max_passes));
constexpr auto passes_in_cache = console::option<&LockOptions::passes_in_cache>(
    "passes-in-cache", "the same within a cache, of locks that know of caches (none given: as --passes)",
    console::between(1, locks::max_passes));
constexpr auto milliseconds = console::option<&LockOptions::milliseconds>(
    "ms", "milliseconds of a run, a tenth of them for warm-up", console::between(2, 60'000));
constexpr auto look_every = console::option<&LockOptions::look_every>(
    "look-every",
    "iterations of a worker between two looks at the clock (none given: 32 of empty sections on smp, "
    "else 1)",
    console::between(1, 1'000'000));
constexpr auto seed = console::option<&LockOptions::seed>("seed", "of what is drawn");
} // namespace lock_option

} // namespace mxk::bench
