// The timeline of real cores: tasks that hop between all of them, each recorded once, where it ran; no core's time is
// left out or counted twice; each hop is followed by the turn that it led to.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "bench/workload/instructions.hpp"
#include "kernel/testing.hpp"
#include "tasks/start.hpp"
#include "tasks/task_group.hpp"
#include "tasks/timeline/summary.hpp"
#include "tasks/timeline/timeline.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

using timeline::Recording;

// Records while it lives; what was recorded goes with it.
class Recorded {
  public:
    explicit Recorded(std::size_t events) { MXK_CHECK(timeline::start(events).ok()); }
    ~Recorded() { MXK_CHECK(timeline::clear().ok()); }
    Recorded(Recorded const&) = delete;
    Recorded& operator=(Recorded const&) = delete;

    static Recording const* stop() {
        MXK_CHECK(timeline::stop().ok());
        auto const found = timeline::finished();
        MXK_CHECK(found.ok());
        return found ? found.value() : nullptr;
    }
};

// From core to core at random, as often as it is told; counts its turns on each core.
struct Hopper : Task {
    Hopper(std::uint64_t seed, std::span<OwnerCounter> turns_of_cores, int& home_count)
        : Task(&Hopper::hop, Worker::current().core())
        , random(seed)
        , turns(turns_of_cores)
        , at_home(home_count) {}
    static void hop(Worker& worker, Task& task) {
        auto& self = static_cast<Hopper&>(task);
        self.turns[index(worker.core())].add(1);
        if (--self.left > 0) return worker.append(task, core_id(self.random.below(workers::count())));
        task.body = &Hopper::arrive;
        worker.append(task, task.home);
    }
    static void arrive(Worker&, Task& task) { ++static_cast<Hopper&>(task).at_home; }

    bench::Random random;
    std::span<OwnerCounter> turns; // by core, which alone adds to its own
    int& at_home;                  // only touched at home
    int left = 50;
};

std::uint64_t count(CoreTimeline const& core, EventKind kind, std::optional<std::uint64_t> detail = {}) {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < core.size(); ++at)
        found += core[at].kind() == kind && (!detail || core[at].detail() == *detail) ? 1U : 0U;
    return found;
}

// Nothing ends before it begins, or before what stands in front of it; nothing is outside of the recorded time; and
// what is not idle is as long as the worker says that it was.
void check_times(CoreTimeline const& core, timeline::CoreSums const& sums) {
    for (std::size_t at = 0; at < core.size(); ++at) {
        MXK_CHECK(core[at].begin() <= core[at].end());
        MXK_CHECK(core[at].begin() >= core.started() && core[at].end() <= core.stopped());
        MXK_CHECK(at == 0 || core[at - 1].end() <= core[at].end());
    }
    std::uint64_t const busy = sums.tasks + sums.rounds + sums.safe_points;
    std::uint64_t const counted = sums.span - core.idle();
    std::uint64_t const difference = busy > counted ? busy - counted : counted - busy;
    MXK_CHECK(difference <= counted / 50); // 2 %
    if (difference > counted / 50) MXK_CHECK_EQUAL(busy, counted);
}

// How many hops of a core led to a turn of that task on the core it was sent to, not before it was sent.
std::uint64_t arrivals(Recording const& recording, CoreTimeline const& sender) {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < sender.size(); ++at) {
        TimelineEvent const& hop = sender[at];
        if (hop.kind() != EventKind::Hop) continue;
        CoreTimeline const& receiver = recording.cores[hop.detail()];
        for (std::size_t i = 0; i < receiver.size(); ++i) {
            TimelineEvent const& turn = receiver[i];
            bool const is_arrival =
                turn.kind() == EventKind::Task && turn.subject() == hop.subject() && turn.begin() >= hop.begin();
            if (!is_arrival) continue;
            ++found;
            break;
        }
    }
    return found;
}

MXK_TEST(timeline, every_turn_and_hop_of_all_cores_is_recorded) {
    constexpr int hoppers = 20;
    Worker& here = Worker::current();
    auto turns = NodeVector<OwnerCounter>::create(workers::count(), here.node());
    auto tasks = NodeVector<Hopper>::create(hoppers, here.node());
    MXK_CHECK(turns.ok() && tasks.ok());
    if (!turns.ok() || !tasks.ok()) return;
    for (std::size_t i = 0; i < workers::count(); ++i) turns.value().emplace();
    int at_home = 0;
    Recorded const recorded(64 * KiB);
    for (std::uint64_t i = 0; i < hoppers; ++i) here.append(tasks.value().emplace(i, turns.value().span(), at_home));
    here.run_until([&] { return at_home == hoppers; });
    Recording const* const recording = Recorded::stop();
    if (recording == nullptr) return;

    auto const summary = timeline::Summary::create(*recording);
    MXK_CHECK(summary.ok());
    if (!summary.ok()) return;
    auto const hop = reinterpret_cast<std::uintptr_t>(&Hopper::hop);
    auto const arrive = reinterpret_cast<std::uintptr_t>(&Hopper::arrive);
    std::uint64_t hops = 0;
    for (std::size_t i = 0; i < workers::count(); ++i) {
        CoreTimeline const& core = recording->cores[i];
        MXK_CHECK_EQUAL(core.lost(), 0);
        MXK_CHECK_EQUAL(count(core, EventKind::Task, hop), turns.value()[i].value());
        MXK_CHECK_EQUAL(count(core, EventKind::Task, arrive), i == index(here.core()) ? hoppers : 0);
        check_times(core, summary.value().cores()[i]);
        std::uint64_t const sent = count(core, EventKind::Hop);
        hops += sent;
        // The task that stops a core goes home after the stop; what it takes there is not recorded.
        MXK_CHECK_EQUAL(arrivals(*recording, core), sent);
    }
    MXK_CHECK(workers::count() == 1 || hops >= hoppers);
}

MXK_TEST(timeline, nothing_is_recorded_before_it_begins_and_after_it_ends) {
    Worker& here = Worker::current();
    MXK_CHECK(here.timeline() == nullptr);
    Recorded const recorded(1024);
    MXK_CHECK(here.timeline() != nullptr);
    MXK_CHECK(!timeline::start(1024).ok()); // one at a time
    MXK_CHECK(!timeline::finished().ok());  // and it can be read after its end only
    MXK_CHECK(!timeline::clear().ok());
    Recording const* const recording = Recorded::stop();
    if (recording == nullptr) return;
    std::size_t const size = recording->cores[0].size();
    bool has_run = false;
    struct Mark : Task {
        explicit Mark(bool& it)
            : Task([](Worker&, Task& task) { static_cast<Mark&>(task).mark = true; })
            , mark(it) {}
        bool& mark;
    } mark(has_run);
    here.append(mark);
    here.run_until([&] { return has_run; });
    MXK_CHECK_EQUAL(recording->cores[0].size(), size);
    MXK_CHECK(!timeline::stop().ok());
}

MXK_TEST(timeline, a_full_ring_keeps_the_newest_events) {
    constexpr int tasks = 100;
    struct Counting : Task {
        explicit Counting(int& it)
            : Task(&Counting::turn)
            , left(it) {}
        static void turn(Worker& worker, Task& task) {
            if (--static_cast<Counting&>(task).left > 0) worker.append(task);
        }
        int& left;
    };
    Worker& here = Worker::current();
    int left = tasks;
    Counting task(left);
    Recorded const recorded(16);
    here.append(task);
    here.run_until([&] { return left == 0; });
    Recording const* const recording = Recorded::stop();
    if (recording == nullptr) return;
    CoreTimeline const& core = recording->cores[index(here.core())];
    MXK_CHECK_EQUAL(core.size(), 16);
    MXK_CHECK(core.lost() >= tasks - 16);
    // The last is the body that asked for the stop, which had begun before the recording did.
    MXK_CHECK_EQUAL(core[15].detail(), 0);
    MXK_CHECK_EQUAL(core[15].begin(), core.started());
}

Coroutine<> yields_often() {
    for (int i = 0; i < 1000; ++i) co_await yield();
}
Coroutine<> yields_less_often() {
    for (int i = 0; i < 500; ++i) co_await yield();
}

// Both have the same body, which resumes them.
MXK_TEST(timeline, coroutines_are_told_apart) {
    Worker& here = Worker::current();
    Recorded const recorded(4096);
    TaskGroup group(here);
    MXK_CHECK(start(here, group, yields_often()));
    MXK_CHECK(start(here, group, yields_less_often()));
    group.wait();
    Recording const* const recording = Recorded::stop();
    if (recording == nullptr) return;
    auto const summary = timeline::Summary::create(*recording);
    MXK_CHECK(summary.ok());
    if (!summary.ok()) return;
    for (std::uint64_t const turns : {1001U, 501U})
        MXK_CHECK(std::ranges::any_of(summary.value().functions(),
                                      [&](timeline::FunctionSums const& each) { return each.count == turns; }));
}

} // namespace
} // namespace mxk
