// `bench lock crowd`: one lock for more threads than cores. A lock with a queue waits for a thread that is not running
// when it is that one's turn; one whose waiters park should not get slower with every thread. (A. Uffmann, RMA locks,
// LMU 2022, future work; S. Kashyap et al., Scalable NUMA-aware Blocking Synchronization Primitives, 2017.)
//
// Each thread makes short sections, with some work of its own between two. On metal a spin lock's waiters and holder
// are not preempted, so that there only parking locks have a crowd.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/spin_lock.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/names.hpp"
#include "bench/thread/own_threads.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/clh_lock.hpp"
#include "locks/mcs_lock.hpp"
#include "locks/tas_lock.hpp"
#include "locks/ticket_lock.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/parking_lock.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

enum class CrowdLock : std::uint8_t { Parking, Mutex, Spin, Tas, Ticket, Mcs, Clh };
constexpr auto value_names(CrowdLock) {
    using Named = console::NamedValue<CrowdLock>;
    return std::array{Named{CrowdLock::Parking, "parking"}, Named{CrowdLock::Mutex, "mutex"},
                      Named{CrowdLock::Spin, "spin"},       Named{CrowdLock::Tas, "tas"},
                      Named{CrowdLock::Ticket, "ticket"},   Named{CrowdLock::Mcs, "mcs"},
                      Named{CrowdLock::Clh, "clh"}};
}

struct CrowdOptions : CoreSetOptions {
    constexpr CrowdOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}
    NameSet<CrowdLock> locks{};
    console::CountList threads{};
    std::uint32_t milliseconds = 100;
    std::uint32_t outside = 200;
};
constexpr auto crowd_schema = console::schema<CrowdOptions>(
    console::option<&CrowdOptions::locks>("lock",
                                          "parking, mutex, spin, tas, ticket, mcs, clh (none given: parking, mutex)"),
    core_set_option::cores,
    console::option<&CrowdOptions::threads>("threads", "on each core, a row for each (none given: 1,2,4)",
                                            console::between(1, 64)),
    console::option<&CrowdOptions::milliseconds>("ms", "milliseconds of a run", console::between(1, 60'000)),
    console::option<&CrowdOptions::outside>("outside", "cycles of a thread's own work between two sections",
                                            console::between(0, 1'000'000)),
    run_option::repeat, run_option::warm_up, run_option::json);

constexpr LockRank crowd_rank = lock_bands::application.rank(44);

// What all threads of a run share.
template <typename LockType> struct Crowded {
    LockType lock;
    alignas(cache_line_bytes) std::uint64_t sections = 0; // under the lock, not atomic
    alignas(cache_line_bytes) Cycles end{};
    Cycles outside{};
    bool (*is_cancelled)(void const*) = nullptr;
    void const* crew = nullptr;

    template <typename... Arguments>
    explicit Crowded(Arguments&&... arguments)
        : lock(std::forward<Arguments>(arguments)...) {}
};

template <typename LockType> struct CrowdMember {
    explicit CrowdMember(Crowded<LockType>& its_crowd)
        : crowd(its_crowd) {}

    void operator()() {
        for (;;) {
            for (int i = 0; i < 16; ++i) {
                {
                    LockGuard const guard(crowd.lock);
                    ++crowd.sections;
                }
                own.add(1);
                Cycles const until = clock::timestamp() + crowd.outside;
                while (clock::timestamp() < until) __builtin_ia32_pause();
            }
            if (clock::timestamp() >= crowd.end || crowd.is_cancelled(crowd.crew)) return;
        }
    }

    Crowded<LockType>& crowd;
    OwnerCounter own;
};

class CrowdExperiment final : public Experiment {
  public:
    using Options = CrowdOptions;
    static constexpr std::string_view name = "lock crowd";

    static Result<CrowdExperiment> create(Options const& options) {
        CrowdExperiment experiment(options);
        if (experiment.options_.locks.empty()) experiment.options_.locks = {CrowdLock::Parking, CrowdLock::Mutex};
        if (experiment.options_.threads.values().empty()) experiment.options_.threads = console::CountList{1, 2, 4};
        experiment.core_sets_ = MXK_TRY(CoreSetList::create(options.cores));
        auto const counts = experiment.options_.threads.values();
        constexpr auto names = value_names(CrowdLock{});
        experiment.steps_ = MXK_TRY(NodeVector<Step>::create(
            names.size() * counts.size() * experiment.core_sets_.size(), Worker::current().node()));
        for (std::size_t set = 0; set < experiment.core_sets_.size(); ++set)
            for (auto const& [lock, name_of_it] : names)
                for (std::uint64_t const threads : counts)
                    if (experiment.options_.locks.has(lock)) experiment.steps_.emplace(lock, threads, set);
        return experiment;
    }

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t configurations() const override { return steps_.size(); }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        auto const& step = steps_[configuration];
        switch (step.lock) {
        case CrowdLock::Parking: return run_with<ParkingLock>(step, samples[0], progress);
        case CrowdLock::Mutex: return run_with<Mutex>(step, samples[0], progress);
        case CrowdLock::Spin: return run_with<SpinLock>(step, samples[0], progress, crowd_rank);
        case CrowdLock::Tas: return run_with<locks::KernelLock<locks::Tas<locks::Smp>>>(step, samples[0], progress);
        case CrowdLock::Ticket:
            return run_with<locks::KernelLock<locks::Ticket<locks::Smp>>>(step, samples[0], progress);
        case CrowdLock::Mcs: return run_with<McsLock>(step, samples[0], progress);
        case CrowdLock::Clh: return run_with<locks::KernelLock<locks::Clh<locks::Smp>>>(step, samples[0], progress);
        }
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "sections were lost: two threads were inside"; }

    void print_head(TextSink& out) const override {
        format(out, "lock crowd: {} ms, {} cycles between two sections; {} runs per row\n", options_.milliseconds,
               options_.outside, options_.repeat);
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<8} {:>7} ", "lock", "threads");
        core_sets_.print_heading(out);
    }
    void print_label(TextSink& out, Row const& row) const override {
        auto const& step = steps_[row.configuration];
        format(out, "{:<8} {:>7} ", name_of(step.lock), step.threads);
        core_sets_.print(out, step.set);
    }
    void print_title(TextSink& out, Row const& row) const override {
        auto const& step = steps_[row.configuration];
        format(out, "{}, {} threads on each core, {} cores", name_of(step.lock), step.threads,
               core_sets_.label(step.set));
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        auto const& step = steps_[row.configuration];
        json.field("lock", name_of(step.lock));
        json.field("threads_per_core", step.threads);
        core_sets_.write(json, step.set);
    }

    // Half of what one thread on each core does, with as many as were measured: what parking is for.
    [[nodiscard]] std::size_t conclusions() const override { return options_.locks.has(CrowdLock::Parking) ? 1 : 0; }
    [[nodiscard]] Conclusion conclusion(std::size_t /*at*/, std::span<Row const> rows) const override {
        Conclusion conclusion{.statement = "a lock whose waiters park does not collapse in a crowd"};
        conclusion.expected.write("half or more");
        Row const* alone = nullptr;
        Row const* crowd = nullptr;
        for (Row const& row : rows) {
            auto const& step = steps_[row.configuration];
            if (step.lock != CrowdLock::Parking || row.state != Row::State::Measured) continue;
            if (step.threads == 1) alone = &row;
            if (step.threads > 1) crowd = &row;
        }
        if (alone == nullptr || crowd == nullptr || alone->value.median <= 0) return conclusion;
        double const ratio = crowd->value.median / alone->value.median;
        format(conclusion.measured, "{:.2} of one thread a core", ratio);
        conclusion.holds = ratio >= 0.5;
        return conclusion;
    }

  private:
    struct Step {
        CrowdLock lock;
        std::uint64_t threads; // on each core
        std::size_t set;
    };

    explicit CrowdExperiment(Options const& options)
        : options_(options) {}

    template <typename LockType, typename... Arguments>
    Result<void> run_with(Step const& step, Sample& sample, Progress& progress, Arguments&&... arguments) const {
        using Member = CrowdMember<LockType>;
        auto const cores = core_sets_.cores(step.set);
        std::size_t const count = cores.size() * step.threads;
        NodeId const here = Worker::current().node();
        auto shared = MXK_TRY(NodeVector<Crowded<LockType>>::create(1, here));
        auto& crowd = shared.emplace(std::forward<Arguments>(arguments)...);
        auto members = MXK_TRY(NodeVector<Member>::create(count, here));
        OwnThreads const layer{.progress = progress, .slice = Nanoseconds{1'000'000}};
        OwnThreads::Crew crew(layer, MXK_TRY(OwnThreads::Crew::room(count)));
        for (std::size_t i = 0; i < count; ++i) MXK_TRY(crew.add(cores[i % cores.size()], members.emplace(crowd)));
        crowd.outside = Cycles{options_.outside};
        crowd.is_cancelled = [](void const* it) { return static_cast<OwnThreads::Crew const*>(it)->wanted(); };
        crowd.crew = &crew;
        Cycles const time = clock::to_cycles(Nanoseconds{std::uint64_t{options_.milliseconds} * 1'000'000});
        measured_part_begins();
        Cycles const start = clock::timestamp();
        crowd.end = start + time;
        MXK_TRY(crew.run("sections", 0, nullptr, nullptr));
        Cycles const elapsed = clock::timestamp() - start;
        measured_part_ends();
        std::uint64_t sections = 0;
        for (Member const& member : members) sections += member.own.value();
        sample = {.value =
                      static_cast<double>(sections) / (static_cast<double>(raw(clock::to_nanoseconds(elapsed))) / 1e9),
                  .operations = sections,
                  .verified = sections == crowd.sections};
        return {};
    }

    Options options_;
    CoreSetList core_sets_;
    NodeVector<Step> steps_;
};
constexpr auto crowd_benchmark = benchmark<CrowdExperiment, crowd_schema>(
    {.summary = "one lock for more threads than cores: waiters that poll, and waiters that park",
     .notes = "Example: bench lock crowd --cores 2 --threads 1,2,4 --lock parking,mutex,mcs\n",
     .parent = "bench lock"});
MXK_REGISTER(mxk_commands, console::Command, crowd_benchmark);

} // namespace
} // namespace mxk::bench
