// `bench heap first-touch`: what fresh memory costs its user. P1: each iteration takes a large piece, writes all of it
// and gives it back. P2: each takes and gives back a piece that it does not touch, and writes the same other one. Where
// memory comes back fresh, P1 pays for every page. (Z. Falt's thesis on Bobox, Prague 2010, programs 7.1 and 7.2,
// figure 7.1; here P2 has written its piece once before the time begins.)
#include <algorithm>
#include <array>
#include <span>

#include "bench/heap/heap_experiment.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t page_bytes = 4 * KiB;

constexpr std::array<std::string_view, 2> touch_programs{"p1", "p2"};

struct TouchPart : HeapFindings {
    Cycles elapsed{};
};

// The compiler must not find out that the first word of each page is all that is read.
void write_pages(void* place, std::size_t bytes, std::uint64_t value) {
    auto* const words = static_cast<std::uint64_t*>(place);
    std::fill_n(words, bytes / sizeof(std::uint64_t), value);
    asm volatile("" : : "r"(words) : "memory");
}
std::uint64_t wrong_pages(void const* place, std::size_t bytes, std::uint64_t value) {
    auto const* const words = static_cast<std::uint64_t const*>(place);
    std::uint64_t wrong = 0;
    for (std::size_t at = 0; at < bytes; at += page_bytes) wrong += words[at / sizeof(std::uint64_t)] != value;
    return wrong;
}

std::uint64_t bytes_of_piece(HeapOptions const& options) {
    return options.mebibytes * MiB;
}

void touch(HeapOptions const& options, HeapRun const& run, bool is_fresh, TouchPart& part) {
    auto const& workloads = run.workloads();
    std::uint64_t const bytes = bytes_of_piece(options);
    void* const same = is_fresh ? nullptr : workloads.allocate(bytes);
    part.has_no_memory = !is_fresh && same == nullptr;
    if (same != nullptr) write_pages(same, bytes, 0);
    for (std::uint32_t i = 0; i < options.iterations && !part.has_no_memory && !run.progress.interrupted(); ++i) {
        Cycles const start = clock::timestamp();
        void* const taken = workloads.allocate(bytes);
        part.has_no_memory = taken == nullptr;
        if (part.has_no_memory) break;
        if (!is_fresh) workloads.deallocate(taken, bytes); // untouched
        void* const piece = is_fresh ? taken : same;
        write_pages(piece, bytes, options.seed + i);
        Cycles const written = clock::timestamp();
        part.wrong += wrong_pages(piece, bytes, options.seed + i);
        Cycles const checked = clock::timestamp();
        if (is_fresh) workloads.deallocate(taken, bytes);
        part.elapsed = part.elapsed + (written - start) + (clock::timestamp() - checked);
    }
    if (same != nullptr) workloads.deallocate(same, bytes);
}

Result<void> run_touch(HeapOptions const& options, HeapRun const& run) {
    auto const fill = [](TouchPart&, std::size_t, NodeId) -> Result<void> { return {}; };
    auto parts = MXK_TRY(make_parts<TouchPart>(run.cores, fill));
    run.resident.begin();
    for (std::size_t program = 0; program < touch_programs.size(); ++program) {
        auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
            parts[place].elapsed = {};
            touch(options, run, program == 0, parts[place]);
        });
        Sample& sample = run.samples[program];
        std::uint64_t const pages = bytes_of_piece(options) / page_bytes;
        MXK_TRY(fill_sample(sample, pages * options.iterations * parts.size(), parts, measured));
        sample.value = 0;
        for (TouchPart const& part : parts)
            sample.value += seconds_of(part.elapsed) * 1e9 / static_cast<double>(sample.operations);
    }
    run.samples[1].findings.add("p1_by_p2", run.samples[0].value / run.samples[1].value);
    return {};
}

constexpr HeapScenario first_touch_scenario{
    .name = "heap first-touch",
    .summary = "fresh memory against the same again: nanoseconds a page",
    .notes = "Example: bench heap first-touch --heap mxk,glibc --mib 512 --iterations 50 --repeat 3 --json\n",
    .unit = Unit::NanosecondsPerOperation,
    .choices = {.mebibytes = 64, .iterations = 10},
    .programs = touch_programs,
    .has_one_core = true,
    .run = &run_touch,
    .print_what =
        [](TextSink& out, HeapOptions const& options, HeapTrace const&) {
            format(out, "{} MiB, {} iterations, an operation is a page of 4 KiB", options.mebibytes,
                   options.iterations);
        },
    .write_what =
        [](JsonWriter& json, HeapOptions const& options, Point const&, HeapTrace const&) {
            write_fields(json, {{"bytes", bytes_of_piece(options)}, {"iterations", options.iterations}});
        }};
constexpr auto touch_schema = heap_schema<first_touch_scenario>(
    console::option<&CoreSetOptions::cores>("cores",
                                            "counts, or sets; each core has a piece of its own (none given: 1)"),
    console::option<&HeapChoices::mebibytes>("mib", "of a piece", console::between(1, 1024 * 1024)),
    console::option<&HeapChoices::iterations>("iterations", "of each program in a run", console::between(1, 100'000)));
constexpr auto touch_benchmark = heap_benchmark<first_touch_scenario, touch_schema>();
MXK_REGISTER(mxk_commands, console::Command, touch_benchmark);

} // namespace
} // namespace mxk::bench
