// `bench adaptive ipc`: what the kernel's own synchronisation costs on one core (V. Uhlig, Scalability of
// Microkernel-Based Systems, 2005, section on IPC: there by messages, locks and dynamic locks). A measure is a way to
// keep an operation from others; its cost is the difference to `none`.
#include <array>
#include <cstdint>

#include "bench/adaptive/guarded_sections.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/cost_experiment.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/task/ending.hpp"
#include "kernel/clock.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/wait_until.hpp"

namespace mxk::bench {
namespace {

// How the operation is kept from others: not at all; by a task of its own at the owner's core, which is this one; by a
// lock; by a dynamic lock over that one, without and with it; by a cascade in its three states.
enum class IpcWay : std::uint8_t {
    None,
    Message,
    Spin,
    Mcs,
    DynamicDisabled,
    EnabledSpin,
    EnabledMcs,
    CascadeNone,
    CascadeCoarse,
    CascadeFine
};

// As they are typed and as they stand in results.
constexpr auto value_names(IpcWay) {
    using Named = console::NamedValue<IpcWay>;
    return std::array{Named{IpcWay::None, "none"},
                      Named{IpcWay::Message, "message"},
                      Named{IpcWay::Spin, "lock"},
                      Named{IpcWay::Mcs, "lock-mcs"},
                      Named{IpcWay::DynamicDisabled, "dynamic"},
                      Named{IpcWay::EnabledSpin, "dynamic-on"},
                      Named{IpcWay::EnabledMcs, "dynamic-on-mcs"},
                      Named{IpcWay::CascadeNone, "cascade-none"},
                      Named{IpcWay::CascadeCoarse, "cascade-coarse"},
                      Named{IpcWay::CascadeFine, "cascade-fine"}};
}
constexpr Placement placement_of(IpcWay) {
    return Placement::OneCore;
}

struct IpcOptions : CostOptions {
    NameSet<IpcWay> measures{};
    std::uint64_t operations = 1'000'000;

    // For the row.
    [[nodiscard]] static Settings settings_of(IpcWay) { return {}; }
};

constexpr auto ipc_schema = console::schema<IpcOptions>(
    console::option<&IpcOptions::measures>("measure",
                                           "ways to keep an operation from others, with commas between (none "
                                           "given: all)"),
    cost_option::cores, console::option<&IpcOptions::operations>("ops", "per run", console::between(1, 4'000'000'000)),
    run_option::all);

constexpr LockRank outer_rank = lock_bands::application.rank(40);
constexpr LockRank inner_rank = lock_bands::application.rank(41);

// Sections on the measured core, and then home.
struct SectionsRun : Task {
    SectionsRun(Body begin, std::uint64_t count)
        : Task(begin, Worker::current().core())
        , left(count)
        , ending(Worker::current().core()) {}

    void go(Worker& worker, Body work) {
        measured_part_begins();
        start = clock::timestamp();
        body = work;
        worker.append(*this);
    }
    void end(Worker& worker) {
        elapsed = clock::timestamp() - start;
        measured_part_ends();
        ending.send(worker);
    }
    Result<Sample> finish(CorePair cores, std::string_view phase, Progress& progress) {
        std::uint64_t const count = left;
        progress.phase(phase, count, &counted, &done);
        Worker::current().append(*this, cores.first);
        MXK_TRY(ending.await(progress));
        return Sample{.value = static_cast<double>(raw(elapsed)) / static_cast<double>(count),
                      .operations = count,
                      .verified = word.has_made(count)};
    }

    std::uint64_t left;
    SectionWord word;
    OwnerCounter done;
    Cycles start{};
    Cycles elapsed{};
    Ending ending;
};

// Brings the guard into its state first.
template <typename Guard> struct GuardedRun : SectionsRun {
    using Repeat = void (*)(Guard& guard, SectionWord& word, std::uint64_t count);
    // Whether it is as it is to be; if not it is asked again, after other tasks.
    using Prepare = bool (*)(Guard& guard);

    GuardedRun(Guard& its_guard, Repeat its_repeat, Prepare its_prepare, std::uint64_t count)
        : SectionsRun(&GuardedRun::begin, count)
        , guard(its_guard)
        , repeat(its_repeat)
        , prepare(its_prepare) {}

    static void begin(Worker& worker, Task& task) {
        auto& self = static_cast<GuardedRun&>(task);
        if (!self.prepare(self.guard)) return worker.append(self);
        self.go(worker, &GuardedRun::work);
    }
    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<GuardedRun&>(task);
        constexpr std::uint64_t at_once = 16'384; // some 100 us
        std::uint64_t const count = self.ending.wanted() ? 0 : std::min(self.left, at_once);
        self.repeat(self.guard, self.word, count);
        self.left -= count;
        self.done.add(count);
        if (count != 0) return worker.append(self);
        self.end(worker);
    }

    Guard& guard;
    Repeat repeat;
    Prepare prepare;
};

// The same by a task for each section, at the core that owns the word.
struct MessagesRun : SectionsRun {
    explicit MessagesRun(std::uint64_t count)
        : SectionsRun([](Worker& worker, Task& task) { static_cast<MessagesRun&>(task).go(worker, &work); }, count) {}

    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<MessagesRun&>(task);
        if (self.left == 0 || self.ending.wanted()) return self.end(worker);
        --self.left;
        self.word.section();
        self.done.add(1);
        worker.append(self);
    }
};

template <typename Guard> bool is_ready(Guard&) {
    return true;
}
template <typename LockType> bool disable(LockType& lock) {
    return lock.is_disabled() || (lock.disable(), false);
}
bool claim(SpinCascade& locks) {
    if (!locks.is_stable()) return false;
    return locks.granularity() == Granularity::None || (locks.claim(), false);
}
bool refine(SpinCascade& locks) {
    if (!locks.is_stable()) return false;
    // Without memory it stays as it is, which the caller has looked for before.
    return locks.granularity() == Granularity::Fine || !locks.refine().ok();
}

class IpcExperiment final : public CostExperiment<IpcWay, IpcOptions> {
  public:
    static constexpr std::string_view name = "adaptive ipc";
    using CostExperiment::CostExperiment;

    Result<Sample> run_step(Step const& step, Progress& progress) override {
        auto const run = [&]<typename Guard>(Guard& guard, typename GuardedRun<Guard>::Repeat repeat,
                                             typename GuardedRun<Guard>::Prepare prepare = &is_ready<Guard>) {
            auto sample = GuardedRun<Guard>(guard, repeat, prepare, options().operations)
                              .finish(step.cores, "sections", progress);
            if constexpr (requires { guard.is_stable(); }) wait_until([&] { return guard.is_stable(); });
            return sample;
        };
        NoLock none;
        SpinLock spin(outer_rank);
        McsLock mcs;
        DynamicSpin dynamic(outer_rank);
        DynamicMcs dynamic_mcs;
        switch (step.measure) {
        case IpcWay::None: return run(none, &mxk_sections_bare);
        case IpcWay::Message: return MessagesRun(options().operations).finish(step.cores, "messages", progress);
        case IpcWay::Spin: return run(spin, &mxk_sections_spin);
        case IpcWay::Mcs: return run(mcs, &mxk_sections_mcs);
        case IpcWay::DynamicDisabled: return run(dynamic, &mxk_sections_dynamic, &disable<DynamicSpin>);
        case IpcWay::EnabledSpin: return run(dynamic, &mxk_sections_dynamic);
        case IpcWay::EnabledMcs: return run(dynamic_mcs, &mxk_sections_dynamic_mcs);
        default: break;
        }
        SpinCascade locks(1, Worker::current().node(), outer_rank, inner_rank);
        auto const prepare = step.measure == IpcWay::CascadeNone     ? &claim
                             : step.measure == IpcWay::CascadeCoarse ? &is_ready<SpinCascade>
                                                                     : &refine;
        auto sample = run(locks, &mxk_sections_cascade, prepare);
        if (sample.ok() && step.measure == IpcWay::CascadeFine && locks.granularity() != Granularity::Fine)
            return Error("out of memory for fine locks");
        return sample;
    }
    void print_head(TextSink& out) const override {
        format(out, "adaptive ipc: {} sections of about 20 cycles; {} runs per row\n", options().operations,
               options().repeat.text().view());
    }
    [[nodiscard]] std::string_view failure() const override { return "a section was lost, or made twice"; }
};
constexpr auto ipc_benchmark = benchmark<IpcExperiment, ipc_schema>(
    {.summary = "cycles of a short critical section on one core: alone, as a task, under locks that adapt",
     .notes = "Example: bench adaptive ipc --measure none,lock,dynamic --repeat 10 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, ipc_benchmark);

} // namespace
} // namespace mxk::bench
