// `refuse`, a command of the program with tests: an allocation finds no memory, as a test of the system chooses
// (tests/system/test_no_memory.py):
//
//     refuse --sites; bench table; refuse --nth 4; bench table; refuse --nth 17; bench table; refuse --off; bench table
//
// What is typed behind `refuse --sites` is watched: a site is the last functions on the stack of those that ask for
// memory (base/refusal.hpp). Each `--nth` gives one site one refusal: its first allocation, one in the middle, or the
// last one, as it was counted. Before each, pools and heaps give back what they keep. What tests need for themselves is
// no site.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "arch/symbols.hpp"
#include "base/refusal.hpp"
#include "kernel/console/command.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

using console::Invocation;
using console::Outcome;

constexpr std::size_t depth = 6; // of a site

struct Site {
    std::atomic<std::uint64_t> hash{0}; // 0: nobody's
    std::atomic<std::uint32_t> count{0};
    std::uint32_t counted = 0; // by --sites
    std::array<std::uintptr_t, depth> callers{};
};
constexpr std::size_t max_sites = 8192;
std::array<Site, max_sites> sites;
// relaxed, all of these: they are written while no command runs that is watched
std::atomic<std::uint64_t> chosen{0};
std::atomic<std::uint32_t> chosen_count{0};
std::atomic<std::uint32_t> refused{0};
bool is_counting = false;

// All code of the program has frame pointers; a stack ends with null, or with what does not lie above.
std::array<std::uintptr_t, depth> callers_of(void const* frame) {
    std::array<std::uintptr_t, depth> result{};
    constexpr std::uintptr_t max_step = 64 * KiB;
    auto at = reinterpret_cast<std::uintptr_t>(frame);
    for (std::uintptr_t& caller : result) {
        auto const* const words = reinterpret_cast<std::uintptr_t const*>(at);
        caller = words[1];
        if (words[0] <= at || words[0] - at > max_step || words[0] % sizeof(at) != 0) break;
        at = words[0];
    }
    return result;
}

[[gnu::noinline]] bool refuses() {
    auto const callers = callers_of(__builtin_frame_address(0));
    std::uint64_t hash = 1;
    for (std::uintptr_t const caller : callers) hash = (hash ^ caller) * 0x9e37'79b9'7f4a'7c15 | 1;
    for (std::size_t step = 0; step < max_sites; ++step) {
        Site& site = sites[((hash >> 40) + step) & (max_sites - 1)];
        std::uint64_t expected = 0;
        if (site.hash.compare_exchange_strong(expected, hash, std::memory_order_relaxed))
            site.callers = callers;
        else if (expected != hash)
            continue;
        std::uint32_t const count = site.count.fetch_add(1, std::memory_order_relaxed) + 1;
        bool const is_refused =
            hash == chosen.load(std::memory_order_relaxed) && count == chosen_count.load(std::memory_order_relaxed);
        if (is_refused) refused.fetch_add(1, std::memory_order_relaxed);
        return is_refused;
    }
    return false;
}

// What a test needs for itself: the first function that is no container's stands among those of tests, which the linker
// puts behind each other.
bool is_of_a_test(Site const& site) {
    std::uintptr_t first = UINTPTR_MAX;
    std::uintptr_t last = 0;
    for (inner_tests::Test const* test : inner_tests::registered_tests()) {
        first = std::min(first, reinterpret_cast<std::uintptr_t>(test->body));
        last = std::max(last, reinterpret_cast<std::uintptr_t>(test->body));
    }
    for (std::uintptr_t const caller : std::span(site.callers).subspan(1)) { // behind what asks the test
        FixedText<160> name;
        if (!arch::write_function_name(name, caller - 1)) return false;
        constexpr std::array<std::string_view, 5> containers{"mxk::Node", "mxk::PerCore", "mxk::CorePool", "mxk::heap",
                                                             "mxk::memory::allocate"};
        if (std::ranges::any_of(containers, [&](std::string_view of) { return name.view().find(of) < 12; })) continue;
        return first <= caller && caller <= last;
    }
    return false;
}

struct RefuseOptions {
    bool sites = false;
    bool off = false;
    std::uint64_t nth = none;
    static constexpr std::uint64_t none = 1'000'000'000;
};
constexpr auto refuse_schema = console::schema<RefuseOptions>(
    console::flag<&RefuseOptions::sites>("sites", "count allocations from now on"),
    console::flag<&RefuseOptions::off>("off", "refuse nothing any more"),
    console::option<&RefuseOptions::nth>("nth",
                                         "3 times a site's number, and 0: its first allocation, 1: one in the "
                                         "middle, 2: the last; modulo what there is",
                                         console::between(0, RefuseOptions::none)));

bool empty_caches() {
    heap::trim_all();
    auto const cores = all_cores();
    return run_on(cores.span(), [](Worker& worker, std::size_t) {
        worker.pool().trim();
        return Step::Done;
    });
}

void choose(TextSink& out, std::uint64_t nth) {
    std::size_t known = 0;
    for (Site& site : sites) known += site.counted != 0 ? 1 : 0;
    std::uint64_t number = nth / 3 % known;
    for (Site& site : sites) {
        if (site.counted == 0 || number-- != 0) continue;
        std::uint32_t const at = nth % 3 == 0 ? 1 : nth % 3 == 1 ? (site.counted + 1) / 2 : site.counted;
        format(out, "refuse: {} of {}, allocation {} of {} in", nth % (3 * known), 3 * known, at, site.counted);
        for (std::uintptr_t const caller : site.callers) {
            FixedText<80> name;
            if (!arch::write_function_name(name, caller - 1)) format(name, "0x{:x}", caller);
            format(out, " < {}", name.view());
        }
        out.write("\n");
        chosen_count.store(at, std::memory_order_relaxed);
        chosen.store(site.hash.load(std::memory_order_relaxed), std::memory_order_relaxed);
        return;
    }
}

Outcome run_refuse(Invocation& invocation, RefuseOptions const& options) {
    inject::current_refusal.store(nullptr, std::memory_order_relaxed);
    if (chosen.exchange(0, std::memory_order_relaxed) != 0)
        format(invocation.out, "refuse: {} refused\n", refused.exchange(0, std::memory_order_relaxed));
    std::size_t counted = 0;
    for (Site& site : sites) {
        std::uint32_t const count = site.count.exchange(0, std::memory_order_relaxed);
        if (is_counting) site.counted = count != 0 && !is_of_a_test(site) ? count : 0;
        counted += site.counted != 0 ? 1 : 0;
    }
    is_counting = options.sites;
    if (options.off) {
        format(invocation.out, "refuse: off, {} sites\n", counted);
        return Outcome::Ok;
    }
    if (!options.sites && counted == 0) return invocation.fail(Error("expected 'refuse --sites' and a command before"));
    if (!empty_caches()) return invocation.fail(Error("out of memory: a task on each core"));
    if (!options.sites) choose(invocation.out, options.nth);
    inject::current_refusal.store(&refuses, std::memory_order_relaxed);
    return Outcome::Ok;
}

constexpr auto refuse_command = console::command<&run_refuse, refuse_schema>(
    {.name = "refuse", .summary = "one allocation of what is typed behind it finds no memory", .group = "tests"});
MXK_REGISTER(mxk_commands, console::Command, refuse_command);

} // namespace
} // namespace mxk
