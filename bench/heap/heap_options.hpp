// What the benchmarks of allocators can be told.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/frame/run_options.hpp"
#include "bench/heap/heap_names.hpp"
#include "kernel/console/options.hpp"
#include "kernel/memory/heap/core_heap.hpp"

namespace mxk::bench {

enum class RemotePattern : std::uint8_t { Pairs, AllToAll };
constexpr auto value_names(RemotePattern) {
    return std::array{console::NamedValue{RemotePattern::Pairs, "pairs"},
                      console::NamedValue{RemotePattern::AllToAll, "all-to-all"}};
}

// Where objects go that another core has freed, once they are home.
enum class ReturnedTo : std::uint8_t { Blocks, Stack, StackOfNeighbours };
constexpr auto value_names(ReturnedTo) {
    using Named = console::NamedValue<ReturnedTo>;
    return std::array{Named{ReturnedTo::Blocks, "blocks"}, Named{ReturnedTo::Stack, "stack"},
                      Named{ReturnedTo::StackOfNeighbours, "neighbours"}};
}

enum class FootprintPart : std::uint8_t { Release, PingPong, Large };
constexpr auto value_names(FootprintPart) {
    using Named = console::NamedValue<FootprintPart>;
    return std::array{Named{FootprintPart::Release, "release"}, Named{FootprintPart::PingPong, "ping-pong"},
                      Named{FootprintPart::Large, "large"}};
}

// Of each, what its options say.
struct HeapChoices {
    NameSet<MicroPattern> micro_patterns{};
    NameSet<RemotePattern> remote_patterns{};
    NameSet<FootprintPart> parts{};
    ReturnedTo returned_to = ReturnedTo::Blocks; // of ours
    bool purges = false;                         // of ours: blocks that become empty leave the stack at once
    console::CountList sizes{};                  // bytes of an object, an axis
    std::uint32_t bytes = 0;                     // of an object
    std::uint32_t min_bytes = 16;
    std::uint32_t max_bytes = 512;
    std::uint32_t objects = 0; // of each core, at once
    std::uint32_t rounds = 0;
    std::uint32_t replacements = 0; // in a round
    std::uint32_t writes = 0;       // to an object
    std::uint32_t mebibytes = 0;
    std::uint32_t iterations = 0;
    std::uint64_t operations = 0; // of each core
    std::optional<std::uint32_t> large{};
    std::uint32_t large_bytes = 0;
    std::string_view trace{};
};

struct HeapOptions : CoreSetOptions, HeapChoices {
    constexpr HeapOptions(HeapChoices const& choices)
        : CoreSetOptions{{.repeat = 5, .warm_up = 1}, {}}
        , HeapChoices(choices) {}
    HeapNames heaps{};
    std::uint64_t seed = 1;

    // What the heaps of MXK's cores do otherwise than as a rule.
    [[nodiscard]] heap::HeapVariant variant() const;
    [[nodiscard]] bool has_variant() const { return returned_to != ReturnedTo::Blocks || purges; }
};

// Objects in one of these benchmarks can be so large: what the bodies' words and an allocator's bins have room for.
constexpr std::uint64_t max_object_bytes = 510 * KiB;

namespace heap_option {
constexpr auto object_bytes = console::between(min_object_bytes, max_object_bytes);
constexpr auto heaps =
    console::option<&HeapOptions::heaps>("heap", "allocators, with commas between (none given: all)");
constexpr auto sizes = console::option<&HeapChoices::sizes>("size", "bytes of an object, a row for each", object_bytes);
constexpr auto seed = console::option<&HeapOptions::seed>("seed", "of what is drawn");
} // namespace heap_option

} // namespace mxk::bench
