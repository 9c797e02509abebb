// What the benchmarks of allocators have in common: a grid (bench/frame/grid.hpp) of allocators, sets of cores, and the
// axes of a benchmark, of which a HeapScenario says what differs. The allocators are measured one right after the
// other, so that a machine that is slower for a while is so for all that are compared. A body (heap_bodies.hpp) is what
// differs, and what its parts are made of.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/spin_wait.hpp"
#include "bench/frame/grid.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/steps.hpp"
#include "bench/heap/heap_options.hpp"
#include "bench/heap/heap_trace.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// What the program has in use while one allocator is measured: its own, where it is the only one.
class ResidentWatch {
  public:
    explicit ResidentWatch(bool is_wanted)
        : is_wanted_(is_wanted) {}

    // What is in use by now is not the allocator's. Counts the first time.
    void begin();
    // MiB. None: nobody counts, or several allocators are measured.
    [[nodiscard]] std::optional<double> now() const;
    [[nodiscard]] std::optional<double> max() const;

  private:
    bool is_wanted_;
    std::optional<std::size_t> before_;
};

// One run at one point.
struct HeapRun {
    HeapKind const& kind;
    std::span<CoreId const> cores;
    Point point;
    std::span<Sample> samples; // one for each phase
    Progress& progress;
    ResidentWatch& resident;
    HeapTrace const* trace = nullptr; // that is replayed

    [[nodiscard]] HeapWorkloads const& workloads() const { return kind.workloads; }
};

// What differs between the benchmarks.
struct HeapScenario {
    // The axis behind those of allocators and cores; the sizes of objects, where there are some, are the next one.
    enum class Ways : std::uint8_t { None, MicroPattern, RemotePattern, Part };

    static constexpr std::size_t ways_axis = 2;

    std::string_view name;
    std::string_view summary;
    std::string_view notes;
    Unit unit = Unit::OperationsPerSecond;
    std::span<Claim const> claims{};
    bool (*is_judged)(HeapOptions const& options, Point const& point) = nullptr; // null: everywhere
    HeapChoices choices{};                                                       // where no option says another
    Ways ways = Ways::None;
    std::span<std::string_view const> programs{}; // phases of each run
    bool has_one_core = false;                    // where none were typed
    // Makes complete what was typed; null: it is. Errors: it cannot be measured.
    Result<void> (*complete)(HeapOptions& options, HeapTrace& trace) = nullptr;
    Result<void> (*run)(HeapOptions const& options, HeapRun const& run); // fills in the samples
    void (*print_what)(TextSink& out, HeapOptions const& options, HeapTrace const& trace);
    void (*write_what)(JsonWriter& json, HeapOptions const& options, Point const& point,
                       HeapTrace const& trace) = nullptr;
};

class HeapExperiment : public GridExperiment {
  public:
    Result<void> set_up() final;
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) final;
    [[nodiscard]] Unit unit() const final { return scenario_.unit; }
    [[nodiscard]] bool continues_after_failure() const final { return true; }
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const final { return missing_[point[0]]; }
    void conclude(TextSink& out, std::span<Row const> rows) final;
    [[nodiscard]] std::string_view failure() const final;
    void print_head(TextSink& out) const final;

  protected:
    HeapExperiment(HeapScenario const& scenario, HeapOptions const& options)
        : scenario_(scenario)
        , options_(options) {}
    ~HeapExperiment() = default;

  private:
    void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const final;
    void write_options(JsonWriter& json, Point const& point) const final;
    [[nodiscard]] bool is_there(std::size_t at) const final { return !missing_[at]; }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const final {
        return scenario_.is_judged == nullptr || scenario_.is_judged(options_, point);
    }

    HeapScenario const& scenario_;
    HeapOptions options_;
    HeapTrace trace_; // that is replayed
    std::array<std::optional<Error>, HeapNames::capacity> missing_{};
    ResidentWatch resident_{false};
    bool is_wrong_ = false; // some object
};

template <HeapScenario const& scenario> class HeapBench final : public HeapExperiment {
  public:
    struct Options : HeapOptions {
        constexpr Options()
            : HeapOptions(scenario.choices) {}
    };
    static constexpr std::string_view name = scenario.name;
    explicit HeapBench(Options const& options)
        : HeapExperiment(scenario, options) {}
};

template <HeapScenario const& scenario, typename... Own> consteval auto heap_schema(Own const&... own) {
    return console::schema<typename HeapBench<scenario>::Options>(heap_option::heaps, own..., heap_option::seed,
                                                                  run_option::all);
}
template <HeapScenario const& scenario, auto const& schema> consteval console::Command heap_benchmark() {
    return benchmark<HeapBench<scenario>, schema>(
        {.summary = scenario.summary, .notes = scenario.notes, .parent = "bench heap", .more_help = &print_heap_kinds});
}

// What all benchmarks compare ours with, by a claim about the best of others.
constexpr std::string_view best_of = "glibc,mimalloc,jemalloc,tbbmalloc";

inline Error no_memory_for_objects() {
    return Error("out of memory: the allocator has no room for the objects");
}

// What an allocator has counted, where it counts.
heap::HeapCounts counts_of(HeapKind const& kind);

// A part for each core, on its node. fill(part, place, node): a Result. Errors: no memory.
template <typename Part, typename Fill> Result<PerCore<Part>> make_parts(std::span<CoreId const> cores, Fill fill) {
    auto parts = MXK_TRY(PerCore<Part>::with_room(cores.size(), Worker::current().node()));
    for (std::size_t place = 0; place < cores.size(); ++place) {
        NodeId const node = workers::of(cores[place]).node();
        Part& part = *MXK_TRY(parts.add(node));
        MXK_TRY(fill(part, place, node));
    }
    return parts;
}

// A run of all cores of a set whose parts wait for each other: each core does its part in steps, between which the
// others' tasks, Ctrl-C and progress get their turn, and a core that can do nothing at the moment offers its processor.
enum class HeapStep : std::uint8_t { Moved, Waited, Ended };

// Runs turn(place) again and again on each core until it says Ended, all from a common start. It says Waited where it
// could do nothing. Gives the time from the first core's start to the last one's end. Errors: no memory; interrupted:
// then some turns have not ended. The console's task.
template <typename Function>
Result<TimeSpan> time_turns(std::span<CoreId const> cores, Progress const& progress, Function turn) {
    struct Part {
        Cycles start{};
        Cycles end{};
        std::uint32_t waits = 0;
        bool is_started = false;
    };
    auto parts = MXK_TRY(NodeVector<Part>::create(cores.size(), Worker::current().node()));
    for (std::size_t place = 0; place < cores.size(); ++place) parts.emplace();
    CoreBarrier barrier(cores.size());
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        Part& part = parts[place];
        if (!part.is_started) {
            part.is_started = true;
            barrier.arrive_and_wait();
            measured_part_begins();
            part.start = clock::timestamp();
        }
        for (int round = 0; round < 16; ++round) {
            HeapStep const done = progress.interrupted() ? HeapStep::Ended : turn(place);
            if (done == HeapStep::Ended) {
                part.end = clock::timestamp();
                measured_part_ends();
                return Step::Done;
            }
            if (done == HeapStep::Moved) continue;
            if (++part.waits % 64 == 0 && processors_may_be_taken)
                offer_processor(); // what is waited for may need it
            else
                __builtin_ia32_pause();
            break;
        }
        return Step::Again;
    }));
    TimeSpan span;
    for (Part const& part : parts) span.cover(part.start, part.end);
    return span;
}

// As time_turns(), and all end where one has no memory.
template <typename Part, typename Turn>
Result<TimeSpan> time_parts(std::span<CoreId const> cores, Progress const& progress, PerCore<Part>& parts, Turn turn) {
    std::atomic<bool> is_over{false};
    return time_turns(cores, progress, [&](std::size_t place) {
        if (is_over.load(std::memory_order_relaxed)) return HeapStep::Ended;
        HeapStep const done = turn(parts[place], place);
        if (parts[place].has_no_memory) is_over.store(true, std::memory_order_relaxed);
        return done;
    });
}

// Looks whether a live object still holds what was written, and frees it.
inline void free_checked(HeapRun const& run, LiveObject const& object, HeapFindings& found) {
    if (object.place == nullptr) return;
    if (!holds_word(object.place, object.word)) ++found.wrong;
    run.workloads().deallocate(object.place, object.bytes());
}

// Objects of all parts that were wrong. Errors: one had no memory.
template <typename Part> Result<std::uint64_t> wrong_objects(PerCore<Part> const& parts) {
    std::uint64_t wrong = 0;
    for (HeapFindings const& part : parts) {
        if (part.has_no_memory) return no_memory_for_objects();
        wrong += part.wrong;
    }
    return wrong;
}

// The sample of so many operations in that time. Errors: a part had no memory; what the time says.
template <typename Part>
Result<void> fill_sample(Sample& sample, std::uint64_t operations, PerCore<Part> const& parts,
                         Result<TimeSpan> const& measured) {
    std::uint64_t const wrong = MXK_TRY(wrong_objects(parts));
    if (!measured) return measured.error();
    sample.value = static_cast<double>(operations) / measured.value().seconds();
    sample.operations = operations;
    sample.verified = wrong == 0;
    return {};
}

} // namespace mxk::bench
