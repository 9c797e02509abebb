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
#include "bench/frame/grid.hpp"
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
    run_option::all);

constexpr LockRank crowd_rank = lock_bands::application.rank(44);

// What all threads of a run share.
template <typename LockType> struct Crowded {
    LockType lock;
    alignas(cache_line_bytes) std::uint64_t sections = 0; // under the lock, not atomic
    alignas(cache_line_bytes) Cycles end{};
    Cycles outside{};
    OwnThreads::ThreadTeam const* team = nullptr;

    template <typename... Arguments>
    explicit Crowded(Arguments&&... arguments)
        : lock(std::forward<Arguments>(arguments)...) {}
};

template <typename LockType> struct CrowdMember {
    explicit CrowdMember(Crowded<LockType>& its_crowd)
        : crowd(its_crowd) {}

    void operator()() {
        for (Cycles now = clock::timestamp(); now < crowd.end && !crowd.team->wanted();) {
            {
                LockGuard const guard(crowd.lock);
                ++crowd.sections;
            }
            own.add(1);
            Cycles const until = clock::timestamp() + crowd.outside;
            while ((now = clock::timestamp()) < until) __builtin_ia32_pause();
        }
    }

    Crowded<LockType>& crowd;
    OwnerCounter own;
};

class CrowdBench final : public GridExperiment {
  public:
    using Options = CrowdOptions;
    static constexpr std::string_view name = "lock crowd";

    explicit CrowdBench(Options const& options)
        : options_(options) {
        if (options_.locks.empty()) options_.locks = {CrowdLock::Parking, CrowdLock::Mutex};
        if (options_.threads.empty()) options_.threads = {1, 2, 4};
    }
    Result<void> set_up() override {
        add(Axis::chosen("lock", 8, options_.locks));
        add(Axis::of("threads", 7, options_.threads.values(), "threads_per_core"));
        MXK_TRY(add_cores(options_.cores));
        nest({2, 0, 1});
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] bool has_speed_up() const override { return false; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        switch (chosen_at(options_.locks, point[0])) {
        case CrowdLock::Parking: return run_with<ParkingLock>(point, samples[0], progress);
        case CrowdLock::Mutex: return run_with<Mutex>(point, samples[0], progress);
        case CrowdLock::Spin: return run_with<SpinLock>(point, samples[0], progress, crowd_rank);
        case CrowdLock::Tas: return run_with<locks::KernelLock<locks::Tas<locks::Smp>>>(point, samples[0], progress);
        case CrowdLock::Ticket:
            return run_with<locks::KernelLock<locks::Ticket<locks::Smp>>>(point, samples[0], progress);
        case CrowdLock::Mcs: return run_with<McsLock>(point, samples[0], progress);
        case CrowdLock::Clh: return run_with<locks::KernelLock<locks::Clh<locks::Smp>>>(point, samples[0], progress);
        }
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "sections were lost: two threads were inside"; }

    void print_head(TextSink& out) const override {
        format(out, "lock crowd: {} ms, {} cycles between two sections; {} runs per row\n", options_.milliseconds,
               options_.outside, options_.repeat.text().view());
    }

    // Half of what one thread on each core does, with as many as were measured: what parking is for.
    [[nodiscard]] std::size_t conclusions() const override { return options_.locks.has(CrowdLock::Parking) ? 1 : 0; }
    [[nodiscard]] Conclusion conclusion(std::size_t /*at*/, std::span<Row const> rows) const override {
        Conclusion conclusion{.statement = "a lock whose waiters park does not collapse in a crowd"};
        conclusion.expected.write("half or more");
        Row const* alone = nullptr;
        Row const* crowd = nullptr;
        for (Row const& row : rows) {
            Point const point = point_of(row);
            bool const parks = chosen_at(options_.locks, point[0]) == CrowdLock::Parking;
            if (parks && row.state == Row::State::Measured)
                (options_.threads.values()[point[1]] == 1 ? alone : crowd) = &row;
        }
        if (alone == nullptr || crowd == nullptr || alone->value.median <= 0) return conclusion;
        double const ratio = crowd->value.median / alone->value.median;
        format(conclusion.measured, "{:.2} of one thread a core", ratio);
        conclusion.holds = ratio >= 0.5;
        return conclusion;
    }

  private:
    template <typename LockType, typename... Arguments>
    Result<void> run_with(Point const& point, Sample& sample, Progress& progress, Arguments&&... arguments) const {
        using Member = CrowdMember<LockType>;
        auto const its_cores = cores(point);
        std::size_t const count = its_cores.size() * options_.threads.values()[point[1]];
        NodeId const here = Worker::current().node();
        auto shared = MXK_TRY(NodeVector<Crowded<LockType>>::create(1, here));
        auto& crowd = shared.emplace(std::forward<Arguments>(arguments)...);
        auto members = MXK_TRY(NodeVector<Member>::create(count, here));
        OwnThreads const layer{.progress = progress, .slice = Nanoseconds{1'000'000}};
        OwnThreads::ThreadTeam team(layer, MXK_TRY(OwnThreads::ThreadTeam::room(count)));
        for (std::size_t i = 0; i < count; ++i)
            MXK_TRY(team.add(its_cores[i % its_cores.size()], members.emplace(crowd)));
        crowd.outside = Cycles{options_.outside};
        crowd.team = &team;
        Cycles const time = clock::to_cycles(Nanoseconds{std::uint64_t{options_.milliseconds} * 1'000'000});
        measured_part_begins();
        Cycles const start = clock::timestamp();
        crowd.end = start + time;
        MXK_TRY(team.run("sections", 0, nullptr, nullptr));
        Cycles const elapsed = clock::timestamp() - start;
        measured_part_ends();
        std::uint64_t sections = 0;
        for (Member const& member : members) sections += member.own.value();
        sample = {.value = static_cast<double>(sections) / seconds_of(elapsed),
                  .operations = sections,
                  .verified = sections == crowd.sections};
        return {};
    }

    Options options_;
};
constexpr auto crowd_benchmark = benchmark<CrowdBench, crowd_schema>(
    {.summary = "one lock for more threads than cores: waiters that poll, and waiters that park",
     .notes = "Example: bench lock crowd --cores 2 --threads 1,2,4 --lock parking,mutex,mcs\n",
     .parent = "bench lock"});
MXK_REGISTER(mxk_commands, console::Command, crowd_benchmark);

} // namespace
} // namespace mxk::bench
