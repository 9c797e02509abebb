// What the kernel would bring up on another machine: discover() on that machine's dumped tables, with its warnings kept
// apart from those of the machine that runs. What no table says is assumed and said: which core is the boot core (the
// first that the MADT enables), and the loader's memory map (none: the SRAT's ranges stand as they are).
#pragma once

#include <cstddef>
#include <span>

#include "base/arena.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "kernel/acpi/tables.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

struct Preview {
    Topology topology;
    std::span<log::Line const> warnings; // what the kernel would say, in its order
};

// `images`: as dumped, in the order of the machine's XSDT. The result refers to them and to `arena`. The only error is
// lack of memory: whatever the tables hold is a warning, as at boot. Any core; does not block.
Result<Preview> preview(std::span<acpi::TableImage const> images, Arena& arena);

// The same for an image of firmware's memory (kernel/acpi/memory_image.hpp), by way of its root pointer. An error, too,
// if the file is none; without usable lists of tables there is one core on one node, as at boot.
Result<Preview> preview(std::span<std::byte const> memory_image, Arena& arena);

// For people: what is assumed, the topology, the warnings.
void print(TextSink& sink, Preview const& preview);

} // namespace mxk::topology
