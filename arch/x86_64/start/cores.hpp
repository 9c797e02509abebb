// Starting the other cores.
#pragma once

#include <span>

#include "arch/core_local.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "base/core_levels.hpp"
#include "base/units.hpp"

namespace mxk::arch {

struct CoreToStart {
    ApicId apic_id{};
    NodeId node{};
    apic::LocalInputs inputs{};
    bool started = false; // out
    CoreLevels levels{};  // out, of those that started
};

// What a core takes of memory before it is released: its stack and those for interrupts, its structures.
constexpr std::uint64_t bytes_to_start_core = 160 * KiB;

// Starts `cores` but the boot core (the first entry, which counts as started) in parallel, no more than `max_cores`
// with it, and waits until they have come up; gives up when none has come for a while. Started cores halt until they
// are released; one that comes later than that halts for ever. What is left out (no memory, no APIC to reach it by, no
// answer) is a WARN, and holds no memory. The boot core.
void start_cores(std::span<CoreToStart> cores, std::size_t max_cores);

// What a core does for the rest of its life; must not return.
using CoreEntry = void (*)(CoreId);

// Gives the started cores their ids, 0, 1, ... in the order that `order` has their places in `cores`, and lets all but
// the boot core, which is the first, enter. The boot core.
void release_cores(std::span<CoreToStart const> cores, std::span<std::size_t const> order, CoreEntry entry);

// By core id; before release_cores(): none. Any core.
std::span<CoreLocal* const> released_cores();

} // namespace mxk::arch
