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
    run_option::repeat, run_option::warm_up, run_option::json);

constexpr LockRank outer_rank = lock_bands::application.rank(40);
constexpr LockRank inner_rank = lock_bands::application.rank(41);

// On the measured core: brings the guard into its state, makes all sections, and goes home.
template <typename Guard> struct SectionsRun : Task {
    using Repeat = void (*)(Guard& guard, SectionWord& word, std::uint64_t count);
    // Whether it is as it is to be; if not it is asked again, after other tasks.
    using Prepare = bool (*)(Guard& guard);

    SectionsRun(Guard& its_guard, Repeat its_repeat, Prepare its_prepare, std::uint64_t count)
        : Task(&SectionsRun::begin, Worker::current().core())
        , guard(its_guard)
        , repeat(its_repeat)
        , prepare(its_prepare)
        , left(count)
        , ending(Worker::current().core()) {}

    static void begin(Worker& worker, Task& task) {
        auto& self = static_cast<SectionsRun&>(task);
        if (!self.prepare(self.guard)) return worker.append(self);
        measured_part_begins();
        self.start = clock::timestamp();
        self.body = &SectionsRun::work;
        worker.append(self);
    }
    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<SectionsRun&>(task);
        constexpr std::uint64_t at_once = 16'384; // some 100 us
        std::uint64_t const count = self.ending.wanted() ? 0 : std::min(self.left, at_once);
        self.repeat(self.guard, self.word, count);
        self.left -= count;
        self.done.add(count);
        if (count != 0) return worker.append(self);
        self.elapsed = clock::timestamp() - self.start;
        measured_part_ends();
        self.ending.send(worker);
    }

    Guard& guard;
    Repeat repeat;
    Prepare prepare;
    std::uint64_t left;
    SectionWord word;
    OwnerCounter done;
    Cycles start{};
    Cycles elapsed{};
    Ending ending;
};

// The same by a task for each section, at the core that owns the word.
struct MessagesRun : Task {
    explicit MessagesRun(std::uint64_t count)
        : Task(&MessagesRun::begin, Worker::current().core())
        , left(count)
        , ending(Worker::current().core()) {}

    static void begin(Worker& worker, Task& task) {
        auto& self = static_cast<MessagesRun&>(task);
        measured_part_begins();
        self.start = clock::timestamp();
        self.body = &MessagesRun::work;
        worker.append(self);
    }
    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<MessagesRun&>(task);
        if (self.left == 0 || self.ending.wanted()) {
            self.elapsed = clock::timestamp() - self.start;
            measured_part_ends();
            return self.ending.send(worker);
        }
        --self.left;
        self.word.section();
        self.done.add(1);
        worker.append(self);
    }

    std::uint64_t left;
    SectionWord word;
    OwnerCounter done;
    Cycles start{};
    Cycles elapsed{};
    Ending ending;
};

template <typename Run> std::uint64_t sections_made(void const* run) {
    return static_cast<Run const*>(run)->done.value();
}

template <typename Run>
Result<Sample> finish(Run& run, CorePair cores, std::string_view phase, std::uint64_t count, Progress& progress) {
    progress.phase(phase, count, &sections_made<Run>, &run);
    Worker::current().append(run, cores.first);
    MXK_TRY(run.ending.await(progress));
    return Sample{.value = static_cast<double>(raw(run.elapsed)) / static_cast<double>(count),
                  .operations = count,
                  .verified = run.word.has_made(count)};
}

template <typename Guard>
Result<Sample> run_sections(Guard& guard, typename SectionsRun<Guard>::Repeat repeat,
                            typename SectionsRun<Guard>::Prepare prepare, CorePair cores, std::uint64_t count,
                            Progress& progress) {
    SectionsRun<Guard> run(guard, repeat, prepare, count);
    auto sample = finish(run, cores, "sections", count, progress);
    if constexpr (requires { guard.is_stable(); }) wait_until([&] { return guard.is_stable(); });
    return sample;
}

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
    using Options = IpcOptions;
    static constexpr std::string_view name = "adaptive ipc";

    static Result<IpcExperiment> create(Options const& options) {
        return IpcExperiment(options, MXK_TRY(plan_of(options)));
    }

    Result<Sample> run_measure(IpcWay way, CorePair cores, Progress& progress) override {
        std::uint64_t const count = options().operations;
        switch (way) {
        case IpcWay::None: {
            NoLock none;
            return run_sections(none, &mxk_sections_bare, &is_ready<NoLock>, cores, count, progress);
        }
        case IpcWay::Message: {
            MessagesRun run(count);
            return finish(run, cores, "messages", count, progress);
        }
        case IpcWay::Spin: {
            SpinLock lock(outer_rank);
            return run_sections(lock, &mxk_sections_spin, &is_ready<SpinLock>, cores, count, progress);
        }
        case IpcWay::Mcs: {
            McsLock lock;
            return run_sections(lock, &mxk_sections_mcs, &is_ready<McsLock>, cores, count, progress);
        }
        case IpcWay::DynamicDisabled:
        case IpcWay::EnabledSpin: {
            DynamicSpin lock(outer_rank);
            auto const prepare = way == IpcWay::EnabledSpin ? &is_ready<DynamicSpin> : &disable<DynamicSpin>;
            return run_sections(lock, &mxk_sections_dynamic, prepare, cores, count, progress);
        }
        case IpcWay::EnabledMcs: {
            DynamicMcs lock;
            return run_sections(lock, &mxk_sections_dynamic_mcs, &is_ready<DynamicMcs>, cores, count, progress);
        }
        default: break;
        }
        SpinCascade locks(1, Worker::current().node(), outer_rank, inner_rank);
        auto const prepare = way == IpcWay::CascadeNone     ? &claim
                             : way == IpcWay::CascadeCoarse ? &is_ready<SpinCascade>
                                                            : &refine;
        auto sample = run_sections(locks, &mxk_sections_cascade, prepare, cores, count, progress);
        if (sample.ok() && way == IpcWay::CascadeFine && locks.granularity() != Granularity::Fine)
            return Error("out of memory for fine locks");
        return sample;
    }
    void print_head(TextSink& out) const override {
        format(out, "adaptive ipc: {} sections of about 20 cycles; {} runs per row\n", options().operations,
               options().repeat);
    }
    [[nodiscard]] std::string_view failure() const override { return "a section was lost, or made twice"; }

  private:
    using CostExperiment::CostExperiment;
};
constexpr auto ipc_benchmark = benchmark<IpcExperiment, ipc_schema>(
    {.summary = "cycles of a short critical section on one core: alone, as a task, under locks that adapt",
     .notes = "Example: bench adaptive ipc --measure none,lock,dynamic --repeat 10 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, ipc_benchmark);

} // namespace
} // namespace mxk::bench
