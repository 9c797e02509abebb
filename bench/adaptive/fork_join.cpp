// `bench adaptive fork-join`: how long it takes to let all cores of a set do something once, and to know that they have
// (V. Uhlig, Scalability of Microkernel-Based Systems, 2005: the wake-up of an OpenMP PARALLEL directive, by messages
// and by locks). The first core of the set forks and joins; the others take part.
//
//     message    a task goes to each core and comes back
//     lock       each core has a slot in memory, which it polls: under the slot's lock the first core writes that there
//                is something to do; the core then counts itself off under a lock that all share, which the first one
//                polls
//     dynamic    the same with dynamic locks, which are enabled since several cores come
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/spin_lock.hpp"
#include "bench/frame/grid.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/names.hpp"
#include "bench/task/ending.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

enum class ForkJoinWay : std::uint8_t { Message, Lock, Dynamic };
constexpr auto value_names(ForkJoinWay) {
    using Named = console::NamedValue<ForkJoinWay>;
    return std::array{Named{ForkJoinWay::Message, "message"}, Named{ForkJoinWay::Lock, "lock"},
                      Named{ForkJoinWay::Dynamic, "dynamic"}};
}

struct AdaptiveForkJoinOptions : CoreSetOptions {
    constexpr AdaptiveForkJoinOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}
    NameSet<ForkJoinWay> ways{};
    std::uint64_t rounds = 20'000;
};
constexpr auto adaptive_fork_join_schema = console::schema<AdaptiveForkJoinOptions>(
    console::option<&AdaptiveForkJoinOptions::ways>("way",
                                                    "message, lock, dynamic, with commas between (none given: all)"),
    core_set_option::cores,
    console::option<&AdaptiveForkJoinOptions::rounds>("rounds", "forks and joins of a run",
                                                      console::between(1, 1'000'000'000)),
    run_option::all);

constexpr LockRank slot_rank = lock_bands::application.rank(42);
constexpr LockRank join_rank = lock_bands::application.rank(43);

// What the first core's task does in every way: forks, and forks again when all have joined.
class Rounds {
  public:
    Rounds(std::uint64_t rounds, Ending& ending)
        : left_(rounds)
        , ending_(ending) {}

    // Whether there is another one; if not, the run has ended.
    bool next(Worker& worker) {
        if (left_ != 0 && !ending_.wanted()) {
            if (done_.value() == 0) {
                measured_part_begins();
                start_ = clock::timestamp();
            }
            --left_;
            done_.add(1);
            return true;
        }
        elapsed_ = clock::timestamp() - start_;
        measured_part_ends();
        has_ended_.store(true, std::memory_order_relaxed); // those who poll only stop
        ending_.send(worker);
        return false;
    }
    [[nodiscard]] bool has_ended() const { return has_ended_.load(std::memory_order_relaxed); }
    [[nodiscard]] OwnerCounter const& done() const { return done_; }
    [[nodiscard]] Cycles elapsed() const { return elapsed_; }

  private:
    std::uint64_t left_;
    OwnerCounter done_;
    Cycles start_{};
    Cycles elapsed_{};
    std::atomic<bool> has_ended_{false};
    Ending& ending_;
};

// By messages: one for each other core, which counts how often it came.
class MessageForks : public Task {
  public:
    MessageForks(std::span<CoreId const> cores, Rounds& rounds)
        : Task([](Worker& here, Task& task) { static_cast<MessageForks&>(task).fork(here); }, Worker::current().core())
        , cores_(cores)
        , rounds_(rounds) {}
    Result<void> prepare() {
        visits_ = MXK_TRY(NodeVector<Visit>::create(cores_.size(), workers::of(cores_.front()).node()));
        for (CoreId const core : cores_.subspan(1)) visits_.emplace(core, cores_.front(), *this);
        return {};
    }
    void start() { Worker::current().append(*this, cores_.front()); }
    static bool is_at_rest() { return true; }
    [[nodiscard]] bool has_visited(std::uint64_t rounds) const {
        return std::ranges::all_of(visits_, [&](Visit const& visit) { return visit.visits == rounds; });
    }

  private:
    struct Visit : Task {
        Visit(CoreId its_core, CoreId first, MessageForks& its_forks)
            : Task(&Visit::go, first)
            , core(its_core)
            , forks(its_forks) {}
        static void go(Worker& there, Task& task) {
            auto& self = static_cast<Visit&>(task);
            ++self.visits;
            self.body = &Visit::come_back;
            there.append(self, self.home);
        }
        static void come_back(Worker& here, Task& task) {
            auto& self = static_cast<Visit&>(task);
            self.body = &Visit::go;
            if (--self.forks.away_ == 0) self.forks.fork(here);
        }
        CoreId core;
        std::uint64_t visits = 0; // of its core
        MessageForks& forks;
    };

    void fork(Worker& here) {
        if (!rounds_.next(here)) return;
        away_ = visits_.size();
        for (Visit& visit : visits_) here.append(visit, visit.core);
        here.flush();
    }

    std::span<CoreId const> cores_;
    Rounds& rounds_;
    NodeVector<Visit> visits_;
    std::size_t away_ = 0; // the first core's
};

// By locks. LockType: made from a rank.
template <typename LockType> class LockedForks : public Task {
  public:
    LockedForks(std::span<CoreId const> cores, Rounds& rounds)
        : Task(&LockedForks::poll, Worker::current().core())
        , cores_(cores)
        , rounds_(rounds) {}
    Result<void> prepare() {
        slots_ = MXK_TRY(NodeVector<Slot>::create(cores_.size(), workers::of(cores_.front()).node()));
        for (CoreId const core : cores_.subspan(1)) slots_.emplace(core, *this);
        return {};
    }
    void start() {
        polling_.store(slots_.size(), std::memory_order_relaxed);
        for (Slot& slot : slots_) Worker::current().append(slot, slot.core);
        Worker::current().append(*this, cores_.front());
    }
    // Nobody polls any more, and no lock changes.
    [[nodiscard]] bool is_at_rest() const { return polling_.load(std::memory_order_acquire) == 0; }
    [[nodiscard]] bool has_visited(std::uint64_t rounds) const {
        return std::ranges::all_of(slots_, [&](Slot const& slot) { return slot.visits == rounds; });
    }

  private:
    // Of a core that takes part; a task of it polls.
    struct alignas(cache_line_bytes) Slot : Task {
        Slot(CoreId its_core, LockedForks& its_forks)
            : Task(&Slot::poll, its_core)
            , core(its_core)
            , forks(its_forks) {}
        static void poll(Worker& worker, Task& task) {
            auto& self = static_cast<Slot&>(task);
            if (self.is_forked.load(std::memory_order_acquire)) {
                {
                    LockGuard const guard(self.lock);
                    self.is_forked.store(false, std::memory_order_relaxed);
                    ++self.visits;
                }
                LockGuard const guard(self.forks.join_lock_);
                // release: pairs with the first core, which looks without the lock
                self.forks.missing_.store(self.forks.missing_.load(std::memory_order_relaxed) - 1,
                                          std::memory_order_release);
            } else if (self.forks.rounds_.has_ended()) {
                self.forks.polling_.fetch_sub(1, std::memory_order_release); // the last that it does
                return;
            }
            worker.append(self);
        }
        CoreId core;
        LockedForks& forks;
        std::uint64_t visits = 0; // under the lock, as is_forked's changes
        alignas(cache_line_bytes) LockType lock{slot_rank};
        std::atomic<bool> is_forked{false};
    };

    static void poll(Worker& worker, Task& task) {
        auto& self = static_cast<LockedForks&>(task);
        if (self.missing_.load(std::memory_order_acquire) == 0) { // pairs with Slot::poll()
            if (!self.rounds_.next(worker)) return;
            self.missing_.store(self.slots_.size(), std::memory_order_relaxed);
            for (Slot& slot : self.slots_) {
                LockGuard const guard(slot.lock);
                slot.is_forked.store(true, std::memory_order_release); // pairs with Slot::poll()
            }
        }
        worker.append(self);
    }

    std::span<CoreId const> cores_;
    Rounds& rounds_;
    NodeVector<Slot> slots_;
    std::atomic<std::size_t> polling_{0};
    alignas(cache_line_bytes) LockType join_lock_{join_rank};
    alignas(cache_line_bytes) std::atomic<std::size_t> missing_{0}; // changes under the lock
};

class AdaptiveForkJoinExperiment final : public GridExperiment {
  public:
    using Options = AdaptiveForkJoinOptions;
    static constexpr std::string_view name = "adaptive fork-join";

    explicit AdaptiveForkJoinExperiment(Options const& options)
        : options_(options) {
        options_.ways = or_all(options.ways);
    }
    Result<void> set_up() override {
        add(Axis::chosen("way", 8, options_.ways));
        MXK_TRY(add_cores(options_.cores, 2)); // of one there is nobody to fork to
        nest({1, 0});
        if (core_sets().size() == 0)
            return Error("adaptive fork-join: expected --cores with two or more cores, which the machine has");
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::CyclesPerOperation; }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        ForkJoinWay const way = chosen_at(options_.ways, point[0]);
        samples[0] =
            MXK_TRY(way == ForkJoinWay::Message ? run_forks<MessageForks>(cores(point), progress)
                    : way == ForkJoinWay::Lock  ? run_forks<LockedForks<SpinLock>>(cores(point), progress)
                                               : run_forks<LockedForks<DynamicLock<SpinLock>>>(cores(point), progress));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "a core took part more or less often than asked"; }

    void print_head(TextSink& out) const override {
        format(out, "adaptive fork-join: {} rounds; {} runs per row\n", options_.rounds, options_.repeat.text().view());
    }

  private:
    template <typename Forks> Result<Sample> run_forks(std::span<CoreId const> cores, Progress& progress) const {
        Ending ending(Worker::current().core());
        Rounds rounds(options_.rounds, ending);
        auto room = MXK_TRY(NodeVector<Forks>::create(1, workers::of(cores.front()).node()));
        Forks& forks = room.emplace(cores, rounds);
        MXK_TRY(forks.prepare());
        progress.phase("forks", options_.rounds, &counted, &rounds.done());
        forks.start();
        auto const ended = ending.await(progress);
        wait_until([&] { return forks.is_at_rest(); });
        MXK_TRY(ended);
        return Sample{.value = static_cast<double>(raw(rounds.elapsed())) / static_cast<double>(options_.rounds),
                      .operations = options_.rounds,
                      .verified = forks.has_visited(options_.rounds)};
    }

    Options options_;
};
constexpr auto adaptive_fork_join_benchmark = benchmark<AdaptiveForkJoinExperiment, adaptive_fork_join_schema>(
    {.summary = "cycles to let all cores do something once: by messages, by locks",
     .notes = "Example: bench adaptive fork-join --cores 2,4 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, adaptive_fork_join_benchmark);

} // namespace
} // namespace mxk::bench
