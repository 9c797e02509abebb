// Cores that exchange tasks through queues with delays at every step of their protocols, and that halt and are woken at
// any moment: a letter lost, doubled or overtaken is seen, a lost wake-up hangs.
#include <algorithm>
#include <atomic>

#include "base/spin_wait.hpp"
#include "bench/workload/random.hpp"
#include "kernel/testing.hpp"
#include "tasks/queue/core_queue.hpp"
#include "tasks/run_on.hpp"
#include "tasks/task_group.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

struct Letter : Task {
    Letter()
        : Task(nullptr) {}
    std::uint32_t sender = 0;
    std::uint32_t receiver = 0;
    std::uint32_t number = 0;
};

void wake(CoreId sleeper) {
    arch::wake(sleeper);
}

// Queues as workers have them, on all cores of the machine, without workers.
class Post {
    using Queue = CoreQueue;

  public:
    static Result<Post> create() {
        Post post;
        post.cores_ = all_cores();
        std::size_t const count = post.cores_.size();
        NodeId const node = Worker::current().node();
        post.queues_ = MXK_TRY(NodeVector<Queue>::create(count, node));
        for (CoreId const core : post.cores_.span())
            post.queues_.emplace(core, MXK_TRY(Queue::Memory::create(count, node)));
        return post;
    }

    [[nodiscard]] std::size_t size() const { return cores_.size(); }
    [[nodiscard]] std::span<CoreId const> cores() const { return cores_.span(); }

    void send(Letter& letter, std::size_t from, std::size_t to) {
        queues_[from].send(letter, queues_[to], cores_[to], &wake);
    }

    // The next letter for a core, or null if there is none. Before it gives null the core halts until there is, if it
    // may; not the console's core, which has others to listen to.
    Letter* receive(std::size_t at, SpinWait& wait, bool may_halt) {
        Queue& queue = queues_[at];
        if (Task* const task = queue.take()) return static_cast<Letter*>(task);
        if (queue.begin_round(&wake)) return static_cast<Letter*>(queue.take());
        if (queue.needs_flush() || !may_halt || cores_[at] == core_id(0)) {
            wait.turn();
            return nullptr;
        }
        queue.sleep_unless_mail([] { arch::halt_until_attention(); });
        arch::take_attention();
        return nullptr;
    }

    // Until everything that a core has sent has left.
    void empty(std::size_t at) {
        SpinWait wait;
        for (queues_[at].flush(&wake); queues_[at].needs_flush(); queues_[at].flush(&wake)) wait.turn();
    }

  private:
    Post() = default;

    NodeVector<CoreId> cores_;
    NodeVector<Queue> queues_;
};

// One letter between two cores, again and again: each of them runs dry every time.
MXK_TEST(tasks, two_cores_play_ping_pong_under_delays) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    constexpr std::uint32_t rounds = 400;
    InjectDelays const delays;
    auto post = Post::create();
    MXK_CHECK(post.ok());
    if (!post.ok()) return;
    std::size_t const cores = post.value().size();
    Letter ball;
    bool const ran = run_on(post.value().cores().last(2), [&](Worker&, std::size_t place) {
        std::size_t const here = cores - 2 + place;
        std::size_t const there = cores - 1 - place;
        if (place == 0) post.value().send(ball, here, there);
        SpinWait wait;
        for (std::uint32_t hits = 0; hits < rounds;) {
            Letter* const letter = post.value().receive(here, wait, true);
            if (letter == nullptr) continue;
            ++hits;
            MXK_CHECK_EQUAL(++letter->number, 2 * hits - (place == 0 ? 0 : 1));
            if (place != 0 || hits < rounds) post.value().send(*letter, here, there);
        }
        post.value().empty(here);
        return Step::Done;
    });
    MXK_CHECK(ran);
    MXK_CHECK_EQUAL(ball.number, 2 * rounds);
}

// Every core sends letters to the `reach` others behind it, in bursts of random length to random receivers, and returns
// those that it gets. In between it polls, or halts where something is sure to come: a letter of its own is on its way,
// or it has sent all and waits for the others.
void exchange_letters(std::size_t reach, std::size_t each, bool may_halt) {
    auto made = Post::create();
    MXK_CHECK(made.ok());
    if (!made.ok()) return;
    Post& post = made.value();
    std::size_t const cores = post.size();
    NodeId const node = Worker::current().node();
    auto letters = NodeVector<Letter>::create(cores * reach * each, node);
    // By core and other core: the number of the last letter that was sent to it, came from it, and was returned by it.
    auto sent = NodeArray<std::uint32_t>::create_zeroed(cores * cores, node);
    auto came = NodeArray<std::uint32_t>::create_zeroed(cores * cores, node);
    auto returned = NodeArray<std::uint32_t>::create_zeroed(cores * cores, node);
    MXK_CHECK(letters.ok() && sent.ok() && came.ok() && returned.ok());
    if (!letters.ok() || !sent.ok() || !came.ok() || !returned.ok()) return;
    for (std::size_t i = 0; i < cores * reach * each; ++i) letters.value().emplace();

    auto const send = [&](std::size_t from, std::size_t to, std::size_t place) {
        std::uint32_t const number = ++sent.value()[from * cores + to];
        Letter& letter = letters.value()[(from * reach + place) * each + number - 1];
        letter.sender = static_cast<std::uint32_t>(from);
        letter.receiver = static_cast<std::uint32_t>(to);
        letter.number = number;
        post.send(letter, from, to);
    };
    // Where nobody halts, the first letters are sent beforehand: the memory for their ways is given out under a lock,
    // at which emulated cores that poll would queue up for minutes.
    std::size_t const ahead = may_halt ? 0 : reach;
    for (std::size_t from = 0; from < cores; ++from)
        for (std::size_t place = 0; place < ahead; ++place) send(from, (from + 1 + place) % cores, place);

    bool const ran = run_on(post.cores(), [&](Worker&, std::size_t here) {
        bench::Random random(here);
        SpinWait wait;
        std::size_t to_send = reach * each - ahead;
        std::size_t to_come = reach * each;
        std::size_t under_way = ahead; // of this core's
        while (to_send + to_come + under_way > 0) {
            std::size_t const burst = to_send == 0 ? 0 : std::min<std::size_t>(to_send, 1 + random.below(40));
            for (std::size_t i = 0; i < burst; ++i) {
                std::size_t next = random.below(reach); // the one behind this core is 0
                std::size_t to = (here + 1 + next) % cores;
                while (sent.value()[here * cores + to] == each) {
                    next = next + 1 == reach ? 0 : next + 1;
                    to = (here + 1 + next) % cores;
                }
                send(here, to, next);
            }
            to_send -= burst;
            under_way += burst;
            while (to_come + under_way > 0) {
                Letter* const letter = post.receive(here, wait, may_halt && (under_way > 0 || to_send == 0));
                if (letter == nullptr) break;
                // FIFO per sender, there and back
                if (letter->sender == here) {
                    --under_way;
                    MXK_CHECK_EQUAL(letter->number, ++returned.value()[here * cores + letter->receiver]);
                } else {
                    --to_come;
                    MXK_CHECK_EQUAL(letter->number, ++came.value()[here * cores + letter->sender]);
                    post.send(*letter, here, letter->sender);
                }
            }
        }
        post.empty(here);
        return Step::Done;
    });
    MXK_CHECK(ran);
    for (std::size_t from = 0; from < cores; ++from)
        for (std::size_t distance = 0; distance < cores; ++distance) {
            std::size_t const to = (from + distance) % cores;
            std::size_t const expected = distance == 0 || distance > reach ? 0 : each;
            MXK_CHECK_EQUAL(came.value()[to * cores + from], expected);
            MXK_CHECK_EQUAL(returned.value()[from * cores + to], expected);
        }
}

MXK_TEST(tasks, every_core_sends_to_all_others) {
    std::size_t const cores = workers::count();
    if (cores < 2) MXK_SKIP("needs two cores");
    exchange_letters(cores - 1, std::max<std::size_t>(4, 20'000 / (cores * cores)), false);
}

MXK_TEST(tasks, every_core_sends_to_others_under_delays) {
    constexpr std::size_t letters = 4000;
    std::size_t const cores = workers::count();
    if (cores < 2) MXK_SKIP("needs two cores");
    std::size_t const reach = std::clamp<std::size_t>(letters / cores, 1, cores - 1);
    InjectDelays const delays;
    exchange_letters(reach, std::max<std::size_t>(1, letters / (cores * reach)), true);
}

// A tree of tasks that grows at random over all cores; every node of it must have run, once.
class Tree {
  public:
    explicit Tree(Worker& owner)
        : group_(owner) {}

    void grow(Worker& here, std::uint64_t seed, unsigned height) {
        planted_.fetch_add(1, std::memory_order_relaxed);
        bench::Random random(seed);
        CoreId const target = core_id(random.below(workers::count()));
        bool const spawned = group_.spawn(here, target, [this, seed, height, target](Worker& worker) {
            MXK_CHECK_EQUAL(index(worker.core()), index(target));
            run_.fetch_add(1, std::memory_order_relaxed);
            RandomDelay::point();
            bench::Random branches(~seed);
            for (std::uint64_t left = height == 0 ? 0 : branches.below(4); left > 0; --left)
                grow(worker, branches.next(), height - 1);
        });
        MXK_CHECK(spawned);
    }
    // Gives the number of tasks.
    std::uint64_t wait() {
        group_.wait();
        MXK_CHECK_EQUAL(run_.load(std::memory_order_relaxed), planted_.load(std::memory_order_relaxed));
        return run_.load(std::memory_order_relaxed);
    }

  private:
    TaskGroup group_;
    std::atomic<std::uint64_t> planted_{0};
    std::atomic<std::uint64_t> run_{0};
};

MXK_TEST(tasks, random_spawn_trees_grow_and_end) {
    std::uint64_t tasks = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Tree tree(Worker::current());
        tree.grow(Worker::current(), seed, 8);
        tasks += tree.wait();
    }
    MXK_CHECK(tasks > 500);
}

} // namespace
} // namespace mxk
