// `memory heap`: what the cores' heaps hold, by node, core and bin; in builds that check the heap, who holds it.
#include <algorithm>
#include <array>

#include "arch/symbols.hpp"
#include "kernel/console/command.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk {
namespace {

using namespace heap;

constexpr double mib(std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(MiB);
}

struct ShowHeapOptions {
    bool bins = false;
    bool trim = false;
    std::uint32_t holders = 10;
};
constexpr auto heap_schema = console::schema<ShowHeapOptions>(
    console::flag<&ShowHeapOptions::bins>("bins", "of each core each size class that it has something of"),
    console::flag<&ShowHeapOptions::trim>("trim", "first, cores give back to their nodes what is free"),
    console::option<&ShowHeapOptions::holders>(
        "holders", "how many of the places in the program that hold the largest part", console::between(0, 64)));

void show_nodes(TextSink& out) {
    format(out, "{:>5} {:>12} {:>12} {:>12} {:>14} {:>14}\n", "node", "superblocks", "unused", "large MiB", "calls",
           "given back");
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        PoolUse const use = pool_of(node_id(i)).use();
        format(out, "{:5} {:12} {:12} {:12.1} {:14} {:14}\n", i, use.superblocks, use.kept, mib(use.large_bytes),
               use.calls, use.returns);
    }
}

// What a core has of a size class: objects in use, bytes that are held and not in use.
struct BinLine {
    std::size_t live = 0;
    std::size_t held = 0;  // bytes
    std::size_t ready = 0; // objects in the magazine
};
BinLine small_line(CoreHeap const& heap, std::size_t bin) {
    BinUse const use = heap.small(bin).use();
    std::size_t const ready = heap.ready(bin);
    return {.live = use.live - ready, .held = use.blocks * block_bytes, .ready = ready};
}
BinLine medium_line(CoreHeap const& heap, std::size_t bin) {
    SlotAllocator const& slots = heap.medium(bin);
    return {.live = slots.used(), .held = slots.superblocks() * superblock_bytes(), .ready = slots.cached()};
}

void show_cores(TextSink& out) {
    format(out, "{:>4} {:>4} {:>8} {:>8} {:>9} {:>10} {:>7} {:>8} {:>7} {:>7}\n", "core", "node", "live MiB",
           "held MiB", "waste MiB", "parked KiB", "highest", "sent", "batches", "own KiB");
    visit_each([&](CoreId core, CoreHeap& heap) {
        CoreUse const use = heap.use();
        std::size_t const held = use.superblocks * superblock_bytes();
        format(out, "{:4} {:4} {:8.2} {:8.2} {:9.2} {:10.1} {:7.1} {:8} {:7} {:7}\n", core, heap.node(),
               mib(use.live_bytes), mib(held), mib(held - use.live_bytes), mib(use.parked) * 1024,
               mib(use.max_parked) * 1024, use.sent, use.batches, use.metadata_bytes / KiB);
    });
}

void show_bin(TextSink& out, CoreId core, std::size_t size, BinLine const& line) {
    if (line.held == 0 && line.live == 0) return;
    format(out, "{:5} {:8} {:12} {:12} {:12.2} {:12.2}\n", core, size, line.live, line.ready, mib(line.held),
           mib(line.held) - mib(line.live * size));
}

void show_bins(TextSink& out) {
    format(out, "{:>5} {:>8} {:>12} {:>12} {:>12} {:>12}\n", "core", "bytes", "live", "ready", "held MiB", "waste MiB");
    visit_each([&](CoreId core, CoreHeap& heap) {
        for (std::size_t bin = 0; bin < small_bin_count; ++bin)
            show_bin(out, core, small_sizes[bin], small_line(heap, bin));
        for (std::size_t bin = 0; bin < medium_bin_count; ++bin)
            show_bin(out, core, medium_sizes[bin], medium_line(heap, bin));
    });
}

// The largest ones, the largest first.
struct Largest {
    std::array<Holder, 64> holders{};
    std::uint32_t wanted = 0;
    std::uint32_t count = 0;

    void add(Holder const& holder) {
        std::uint32_t at = 0;
        while (at < count && holders[at].bytes >= holder.bytes) ++at;
        if (at == wanted) return;
        if (count < wanted) ++count;
        std::copy_backward(holders.begin() + at, holders.begin() + count - 1, holders.begin() + count);
        holders[at] = holder;
    }
};

void show_holders(TextSink& out, std::uint32_t wanted) {
    if constexpr (!is_checked) {
        out.write("Who holds what is only known to builds that check the heap (make test, metal-debug).\n");
    } else {
        Largest largest{.wanted = wanted};
        for_each_holder([](Holder const& holder, void* context) { static_cast<Largest*>(context)->add(holder); },
                        &largest);
        format(out, "{:>12} {:>12}  allocated by\n", "objects", "bytes");
        for (Holder const& holder : std::span(largest.holders).first(largest.count)) {
            FixedText<160> name;
            if (!arch::write_function_name(name, holder.site - 1)) format(name, "0x{:x}", holder.site);
            format(out, "{:12} {:12}  {}\n", holder.objects, holder.bytes, name.view());
        }
    }
}

console::Outcome show_heap(console::Invocation& invocation, ShowHeapOptions const& options) {
    if (options.trim) trim_all();
    format(invocation.out, "superblocks of {} KiB\n", superblock_bytes() / KiB);
    show_nodes(invocation.out);
    show_cores(invocation.out);
    if (options.bins) show_bins(invocation.out);
    if (options.holders > 0) show_holders(invocation.out, options.holders);
    return console::Outcome::Ok;
}

constexpr auto heap_command = console::command<&show_heap, heap_schema>(
    {.name = "heap",
     .summary = "what the cores' heaps hold, by node and core, and by size class",
     .parent = "memory",
     .notes = "Example: memory heap --trim --bins\n"
              "Live is what is in use, or was freed by other cores and not taken back (parked); held are whole\n"
              "superblocks, waste is the difference. Of a size class, what is held are blocks, or superblocks of\n"
              "medium objects; ready is what is given out next.\n"});
MXK_REGISTER(mxk_commands, console::Command, heap_command);

} // namespace
} // namespace mxk
