// `bench heap first-touch`: what fresh memory costs its user. P1: each iteration takes a large piece, writes all of it
// and gives it back. P2: each takes and gives back a piece that it does not touch, and writes the same other one. Where
// memory comes back fresh, P1 pays for every page. (Z. Falt's thesis
// on Bobox, Prague 2010, programs 7.1 and 7.2, figure 7.1; here P2 has written its piece once before the time begins.)
#include <algorithm>
#include <span>

#include "bench/frame/steps.hpp"
#include "bench/heap/heap_experiment.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

struct TouchOptions : HeapOptions {
    std::uint32_t mebibytes = 64;
    std::uint32_t iterations = 10;
};

constexpr auto touch_schema = console::schema<TouchOptions>(
    heap_option::heaps,
    console::option<&TouchOptions::cores>("cores", "counts, or sets; each core has a piece of its own (none given: 1)"),
    console::option<&TouchOptions::mebibytes>("mib", "of a piece", console::between(1, 1024 * 1024)),
    console::option<&TouchOptions::iterations>("iterations", "of each program in a run", console::between(1, 100'000)),
    heap_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::size_t page_bytes = 4 * KiB;

struct TouchBench {
    using Options = TouchOptions;
    static constexpr std::string_view name = "heap first-touch";
    static constexpr Unit unit = Unit::NanosecondsPerOperation;

    explicit TouchBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        options.cores = first_core_of(options.cores);
        return {};
    }
    static constexpr std::size_t points() { return 1; }
    static constexpr std::size_t phases() { return 2; }
    static constexpr std::span<HeapClaim const> claims() { return {}; }
    static bool is_judged(HeapClaim const& /*claim*/, std::size_t /*point*/) { return false; }

    Result<void> run(HeapRun const& run) const {
        auto parts = MXK_TRY(PerCore<Part>::with_room(run.cores.size(), Worker::current().node()));
        for (CoreId const core : run.cores) static_cast<void>(MXK_TRY(parts.add(workers::of(core).node())));
        run.resident.begin();
        double fresh = 0;
        for (std::size_t program = 0; program < phases(); ++program) {
            MXK_TRY(time_on(run.cores, run.progress, [&](std::size_t place) {
                parts[place].elapsed = {};
                program == 0 ? write_fresh(run, parts[place]) : write_same(run, parts[place]);
            }));
            double cycles = 0;
            std::uint64_t wrong = 0;
            for (Part const& part : parts) {
                if (part.has_no_memory) return no_memory_for_objects();
                cycles += static_cast<double>(raw(part.elapsed));
                wrong += part.wrong;
            }
            Sample& sample = run.samples[program];
            sample.operations = bytes() / page_bytes * options.iterations * parts.size();
            sample.value =
                cycles / static_cast<double>(clock::frequency()) * 1e9 / static_cast<double>(sample.operations);
            sample.verified = wrong == 0;
            if (program == 0) fresh = sample.value;
            if (program == 1) sample.findings.add("p1_by_p2", fresh / sample.value);
        }
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "{} MiB, {} iterations, an operation is a page of 4 KiB", options.mebibytes, options.iterations);
    }
    static void print_heading(TextSink& out) { format(out, " {:<7}", "program"); }
    static void print_point(TextSink& out, std::size_t /*point*/, std::size_t phase) {
        format(out, " {:<7}", phase == 0 ? "p1" : "p2");
    }
    void write_point(JsonWriter& json, std::size_t /*point*/, std::size_t phase) const {
        json.field("program", phase == 0 ? "p1" : "p2");
        json.field("bytes", bytes());
        json.field("iterations", options.iterations);
    }

    Options options;

  private:
    struct Part {
        Cycles elapsed{};
        std::uint64_t wrong = 0;
        bool has_no_memory = false;
    };

    [[nodiscard]] std::uint64_t bytes() const { return options.mebibytes * MiB; }

    // The compiler must not find out that the first word of each page is all that is read.
    static void write(void* place, std::size_t bytes, std::uint64_t value) {
        auto* const words = static_cast<std::uint64_t*>(place);
        std::fill_n(words, bytes / sizeof(std::uint64_t), value);
        asm volatile("" : : "r"(words) : "memory");
    }
    static std::uint64_t wrong_pages(void const* place, std::size_t bytes, std::uint64_t value) {
        auto const* const words = static_cast<std::uint64_t const*>(place);
        std::uint64_t wrong = 0;
        for (std::size_t at = 0; at < bytes; at += page_bytes) wrong += words[at / sizeof(std::uint64_t)] != value;
        return wrong;
    }

    void write_fresh(HeapRun const& run, Part& part) const {
        auto const& workloads = run.kind.workloads;
        for (std::uint32_t i = 0; i < options.iterations && !run.progress.interrupted(); ++i) {
            Cycles const start = clock::timestamp();
            void* const place = workloads.allocate(bytes());
            if (place == nullptr) {
                part.has_no_memory = true;
                return;
            }
            write(place, bytes(), options.seed + i);
            Cycles const written = clock::timestamp();
            part.wrong += wrong_pages(place, bytes(), options.seed + i);
            Cycles const checked = clock::timestamp();
            workloads.deallocate(place, bytes());
            part.elapsed = part.elapsed + (written - start) + (clock::timestamp() - checked);
        }
    }
    void write_same(HeapRun const& run, Part& part) const {
        auto const& workloads = run.kind.workloads;
        void* const same = workloads.allocate(bytes());
        if (same != nullptr) write(same, bytes(), 0);
        for (std::uint32_t i = 0; i < options.iterations && same != nullptr && !run.progress.interrupted(); ++i) {
            Cycles const start = clock::timestamp();
            void* const untouched = workloads.allocate(bytes());
            if (untouched == nullptr) {
                part.has_no_memory = true;
                break;
            }
            workloads.deallocate(untouched, bytes());
            write(same, bytes(), options.seed + i);
            part.elapsed = part.elapsed + (clock::timestamp() - start);
            part.wrong += wrong_pages(same, bytes(), options.seed + i);
        }
        if (same == nullptr) part.has_no_memory = true;
        if (same != nullptr) workloads.deallocate(same, bytes());
    }
};
constexpr auto touch_benchmark = benchmark<HeapExperiment<TouchBench>, touch_schema>(
    {.summary = "fresh memory against the same again: nanoseconds a page",
     .notes = "Example: bench heap first-touch --heap mxk,glibc --mib 512 --iterations 50 --repeat 3 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, touch_benchmark);

} // namespace
} // namespace mxk::bench
