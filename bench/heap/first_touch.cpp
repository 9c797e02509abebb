// `bench heap first-touch`: what fresh memory costs its user. P1: each iteration takes a large piece, writes all of it
// and gives it back. P2: each takes and gives back a piece that it does not touch, and writes the same other one. Where
// memory comes back fresh, P1 pays for every page. (Z. Falt's thesis on Bobox, Prague 2010, programs 7.1 and 7.2,
// figure 7.1; here P2 has written its piece once before the time begins.)
#include <algorithm>
#include <array>
#include <span>

#include "bench/frame/steps.hpp"
#include "bench/heap/heap_experiment.hpp"

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

constexpr std::string_view touch_name = "heap first-touch";

class TouchBench final : public HeapBench<TouchOptions, touch_name> {
  public:
    using HeapBench::HeapBench;
    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }

  private:
    Result<void> complete() override {
        options_.cores = first_core_of(options_.cores);
        return {};
    }
    void add_axes() override { add(Axis::phases(Axis::of("program", 7, touch_programs))); }
    Result<void> run_heap(HeapRun const& run) override {
        auto const fill = [](TouchPart&, std::size_t, NodeId) -> Result<void> { return {}; };
        auto parts = MXK_TRY(make_parts<TouchPart>(run.cores, fill));
        run.resident.begin();
        for (std::size_t program = 0; program < touch_programs.size(); ++program) {
            auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
                parts[place].elapsed = {};
                program == 0 ? write_fresh(run, parts[place]) : write_same(run, parts[place]);
            });
            Sample& sample = run.samples[program];
            MXK_TRY(fill_sample(sample, bytes() / page_bytes * options_.iterations * parts.size(), parts, measured));
            sample.value = 0;
            for (TouchPart const& part : parts)
                sample.value += static_cast<double>(raw(part.elapsed)) / static_cast<double>(clock::frequency()) * 1e9 /
                                static_cast<double>(sample.operations);
        }
        run.samples[1].findings.add("p1_by_p2", run.samples[0].value / run.samples[1].value);
        return {};
    }
    void print_what(TextSink& out) const override {
        format(out, "{} MiB, {} iterations, an operation is a page of 4 KiB", options_.mebibytes, options_.iterations);
    }
    void write_what(JsonWriter& json, Point const& /*point*/) const override {
        write_fields(json, {{"bytes", bytes()}, {"iterations", options_.iterations}});
    }
    [[nodiscard]] std::uint64_t bytes() const { return options_.mebibytes * MiB; }

    void write_fresh(HeapRun const& run, TouchPart& part) const {
        auto const& workloads = run.workloads();
        for (std::uint32_t i = 0; i < options_.iterations && !run.progress.interrupted(); ++i) {
            Cycles const start = clock::timestamp();
            void* const place = workloads.allocate(bytes());
            if (place == nullptr) {
                part.has_no_memory = true;
                return;
            }
            write_pages(place, bytes(), options_.seed + i);
            Cycles const written = clock::timestamp();
            part.wrong += wrong_pages(place, bytes(), options_.seed + i);
            Cycles const checked = clock::timestamp();
            workloads.deallocate(place, bytes());
            part.elapsed = part.elapsed + (written - start) + (clock::timestamp() - checked);
        }
    }
    void write_same(HeapRun const& run, TouchPart& part) const {
        auto const& workloads = run.workloads();
        void* const same = workloads.allocate(bytes());
        if (same != nullptr) write_pages(same, bytes(), 0);
        for (std::uint32_t i = 0; i < options_.iterations && same != nullptr && !run.progress.interrupted(); ++i) {
            Cycles const start = clock::timestamp();
            void* const untouched = workloads.allocate(bytes());
            if (untouched == nullptr) {
                part.has_no_memory = true;
                break;
            }
            workloads.deallocate(untouched, bytes());
            write_pages(same, bytes(), options_.seed + i);
            part.elapsed = part.elapsed + (clock::timestamp() - start);
            part.wrong += wrong_pages(same, bytes(), options_.seed + i);
        }
        if (same == nullptr) part.has_no_memory = true;
        if (same != nullptr) workloads.deallocate(same, bytes());
    }
};
constexpr auto touch_benchmark = benchmark<TouchBench, touch_schema>(
    {.summary = "fresh memory against the same again: nanoseconds a page",
     .notes = "Example: bench heap first-touch --heap mxk,glibc --mib 512 --iterations 50 --repeat 3 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, touch_benchmark);

} // namespace
} // namespace mxk::bench
