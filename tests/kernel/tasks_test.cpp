// The promises of queues and workers, on real cores: run to completion, FIFO per sender, no lost task, no lost wake-up.
#include <algorithm>

#include "base/spin_wait.hpp"
#include "bench/workload/instructions.hpp"
#include "kernel/testing.hpp"
#include "tasks/queue/core_queue.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

MXK_TEST(tasks, a_core_runs_its_tasks_in_order) {
    struct Numbered : Task {
        Numbered(int its_number, int& last_number)
            : Task([](Worker&, Task& task) {
                auto& self = static_cast<Numbered&>(task);
                MXK_CHECK_EQUAL(self.number, self.last + 1);
                self.last = self.number;
            })
            , number(its_number)
            , last(last_number) {}
        int number;
        int& last;
    };
    int last = 0;
    Worker& here = Worker::current();
    auto tasks = NodeVector<Numbered>::create(1000, here.node());
    MXK_CHECK(tasks.ok());
    if (!tasks.ok()) return;
    for (int i = 1; i <= 1000; ++i) here.append(tasks.value().emplace(i, last));
    here.run_until([&] { return last == 1000; });
}

// Travels from core to core at random, changes its body on the way, and counts what it does.
struct Traveller : Task {
    Traveller(std::uint64_t seed, int hops, int& home_count)
        : Task(&Traveller::odd, Worker::current().core())
        , random(seed)
        , left(hops)
        , at_home(home_count) {}

    static void odd(Worker& worker, Task& task) { step(worker, task, &Traveller::even); }
    static void even(Worker& worker, Task& task) { step(worker, task, &Traveller::odd); }
    static void arrive(Worker& worker, Task& task) {
        auto& self = static_cast<Traveller&>(task);
        MXK_CHECK(worker.core() == task.home);
        ++self.at_home;
    }
    static void step(Worker& worker, Task& task, Body next) {
        auto& self = static_cast<Traveller&>(task);
        MXK_CHECK_EQUAL(index(worker.core()), index(self.expected));
        if (--self.left == 0) {
            task.body = &Traveller::arrive;
            return worker.append(task, task.home);
        }
        task.body = next;
        self.expected = core_id(self.random.below(workers::count()));
        worker.append(task, self.expected);
    }

    bench::Random random;
    int left;
    CoreId expected = Worker::current().core();
    int& at_home; // only touched at home
};

MXK_TEST(tasks, travellers_all_come_home) {
    constexpr int travellers = 200;
    int at_home = 0;
    Worker& here = Worker::current();
    auto tasks = NodeVector<Traveller>::create(travellers, here.node());
    MXK_CHECK(tasks.ok());
    if (!tasks.ok()) return;
    for (int i = 0; i < travellers; ++i)
        here.append(tasks.value().emplace(static_cast<std::uint64_t>(i), 300, at_home));
    here.run_until([&] { return at_home == travellers; });
    MXK_CHECK_EQUAL(at_home, travellers);
}

// One message at a time, and only after the receiver has begun to sleep: a lost wake-up would hang here.
MXK_TEST(tasks, a_sleeping_core_is_always_woken) {
    constexpr int rounds = 200;
    struct Ping : Task {
        explicit Ping(CoreId console)
            : Task(&Ping::there, console) {}
        static void there(Worker& worker, Task& task) {
            task.body = &Ping::back;
            worker.append(task, task.home);
        }
        static void back(Worker&, Task& task) {
            task.body = &Ping::there;
            static_cast<Ping&>(task).is_home = true;
        }
        bool is_home = true;
    };
    Worker& here = Worker::current();
    std::uint64_t const wakes_before = here.statistics().wakes.value();
    for (std::size_t i = 1; i < workers::count(); ++i) {
        Ping ping(here.core());
        for (int round = 0; round < rounds; ++round) {
            OwnerCounter const& sleeps = workers::of(core_id(i)).statistics().sleeps;
            std::uint64_t const before = sleeps.value();
            ping.is_home = false;
            here.append(ping, core_id(i));
            here.run_until([&] { return ping.is_home; });
            for (SpinWait wait; sleeps.value() == before;) wait.turn(); // halting here would need somebody to end it
        }
    }
    // The first message to a core may still find it awake.
    MXK_CHECK(here.statistics().wakes.value() - wakes_before >= (workers::count() - 1) * (rounds - 1));
}

// The queue with delays at every step of its protocols, and a receiver that really halts.
struct Letter : Task {
    Letter()
        : Task(nullptr) {}
    std::uint32_t sender = 0;
    std::uint32_t number = 0;
};

// Together about the same number on every machine: with 255 emulated cores each letter takes its time.
std::size_t letters_per_sender(std::size_t senders) {
    return std::max<std::size_t>(40, 9000 / senders);
}

// One task long: sends all its letters, ringing where the queue says so.
void send_letters(CoreQueue& from, std::span<Letter> letters, std::size_t sender, CoreQueue& to, CoreId receiver) {
    auto const wake = [](CoreId sleeper) { arch::wake(sleeper); };
    for (std::uint32_t i = 0; i < letters.size(); ++i) {
        letters[i].sender = static_cast<std::uint32_t>(sender);
        letters[i].number = i + 1;
        from.send(letters[i], to, receiver, wake);
        if (i % 32 == 0) from.flush(wake);
    }
    SpinWait wait;
    for (from.flush(wake); from.needs_flush(); from.flush(wake)) wait.turn();
}

void receive_letters(CoreQueue& queue, std::span<std::uint32_t> last, std::size_t wanted) {
    for (std::size_t received = 0; received < wanted;) {
        if (Task* const task = queue.take()) {
            auto const& letter = static_cast<Letter&>(*task);
            MXK_CHECK_EQUAL(letter.number, last[letter.sender] + 1); // FIFO per sender
            last[letter.sender] = letter.number;
            ++received;
            continue;
        }
        if (queue.begin_round([](CoreId) {})) continue;
        queue.sleep_unless_mail([] { arch::halt_until_attention(); });
        arch::take_attention(); // this core is not the console's: only wake-ups come here
    }
}

MXK_TEST(tasks, queues_keep_order_and_mail_under_delays) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    auto const cores = all_cores();
    InjectDelays const delays;
    std::size_t const senders = cores.size() - 1;
    std::size_t const each = letters_per_sender(senders);
    NodeId const node = Worker::current().node();
    auto letters = NodeVector<Letter>::create(senders * each, node);
    auto last = NodeArray<std::uint32_t>::create_zeroed(senders, node);
    auto queues = NodeVector<CoreQueue>::create(cores.size(), node);
    MXK_CHECK(letters.ok() && last.ok() && queues.ok());
    if (!letters.ok() || !last.ok() || !queues.ok()) return;
    for (std::size_t i = 0; i < senders * each; ++i) letters.value().emplace();
    for (std::size_t i = 0; i < cores.size(); ++i) {
        auto memory = CoreQueue::Memory::create(cores.size(), node);
        MXK_CHECK(memory.ok());
        if (!memory.ok()) return;
        queues.value().emplace(cores[i], std::move(memory.value()));
    }

    CoreQueue& receiver = queues.value()[senders];
    bool const ran = run_on(cores.span(), [&](Worker&, std::size_t place) {
        if (place == senders) {
            receive_letters(receiver, last.value().span(), senders * each);
        } else {
            auto const mine = letters.value().span().subspan(place * each, each);
            send_letters(queues.value()[place], mine, place, receiver, cores[senders]);
        }
        return Step::Done;
    });
    MXK_CHECK(ran);
    for (std::uint32_t const number : last.value().span()) MXK_CHECK_EQUAL(number, each);
}

MXK_TEST(tasks, statistics_count_runs_and_hops) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    WorkerStatistics const& statistics = Worker::current().statistics();
    std::uint64_t const tasks_before = statistics.tasks_run.value();
    std::uint64_t const hops_before = statistics.hops.value();
    CoreId const other[] = {core_id(1)};
    MXK_CHECK(run_on(other, [](Worker&, std::size_t) { return Step::Done; }));
    MXK_CHECK_EQUAL(statistics.tasks_run.value(), tasks_before + 1); // the one that came back
    MXK_CHECK_EQUAL(statistics.hops.value(), hops_before + 1);
}

} // namespace
} // namespace mxk
