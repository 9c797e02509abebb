#include "tests/soak/soak.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/named.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/condition.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tests/kernel/answer.hpp"
#include "tests/kernel/thread_group.hpp"
#include "tests/soak/soak_part.hpp"

namespace mxk {
namespace {

constexpr std::uint32_t tokens = 16;

// What all use.
struct Soak {
    std::atomic<bool> stopped{false};
    Semaphore free_tokens{tokens};
    std::atomic<std::uint32_t> taken_tokens{0};
    Mutex mutex; // the two below
    std::uint64_t counted = 0;
    std::uint64_t turn = 0;
    ConditionVariable turn_changed;
};

class SoakThread {
  public:
    SoakThread(Soak& soak, std::uint64_t seed)
        : soak_(soak)
        , random_(seed) {}

    void operator()() {
        while (!soak_.stopped.load(std::memory_order_relaxed)) step();
    }
    [[nodiscard]] std::uint64_t counted() const { return counted_; }

  private:
    void step() {
        switch (random_.below(9)) {
        case 0: {
            soak_.free_tokens.wait();
            return use_token(true);
        }
        case 1: return use_token(soak_.free_tokens.wait_for(some_time()).value());
        case 2: return count();
        case 3: return take_turn();
        case 4: MXK_CHECK(this_thread::sleep_for(some_time()).ok()); return;
        case 5: return ask();
        case 6: return compute();
        case 7: return use_memory();
        default: break;
        }
        if (random_.below(20) == 0) return have_child();
        this_thread::yield();
    }

    Nanoseconds some_time() { return Nanoseconds{random_.below(300'000)}; }

    // `taken`: by the caller, or not for want of one.
    void use_token(bool taken) {
        if (!taken) return;
        MXK_CHECK(soak_.taken_tokens.fetch_add(1, std::memory_order_relaxed) < tokens);
        if (random_.below(2) == 0) this_thread::yield();
        soak_.taken_tokens.fetch_sub(1, std::memory_order_relaxed);
        soak_.free_tokens.post();
    }

    void count() {
        LockGuard const guard(soak_.mutex);
        std::uint64_t const before = soak_.counted;
        if (random_.below(8) == 0) this_thread::yield();
        soak_.counted = before + 1;
        ++counted_;
    }

    // Waits until somebody else has changed it, or not.
    void take_turn() {
        LockGuard const guard(soak_.mutex);
        std::uint64_t const before = soak_.turn;
        if (random_.below(2) == 0) {
            ++soak_.turn;
            soak_.turn_changed.notify_all();
        } else if (soak_.turn_changed.wait_for(soak_.mutex, some_time()).value()) {
            MXK_CHECK(soak_.turn != before);
        }
    }

    void ask() {
        Answer answer;
        CoreId const target = core_id(random_.below(workers::count()));
        send_task(answer, target);
        answer.done.wait();
        MXK_CHECK(answer.ran_on == target);
    }

    // In floating point, whose registers must survive.
    void compute() {
        double sum = 0;
        std::uint64_t const terms = random_.below(5000);
        for (std::uint64_t i = 1; i <= terms; ++i) sum += static_cast<double>(i);
        MXK_CHECK(sum == static_cast<double>(terms) * static_cast<double>(terms + 1) / 2);
    }

    void use_memory() {
        auto const block =
            memory::allocate(std::size_t{4096} << random_.below(4), 4096, node_id(random_.below(memory::node_count())));
        MXK_CHECK(block.ok());
        if (!block) return;
        auto* const first = reinterpret_cast<std::uint64_t volatile*>(block.value().address);
        *first = reinterpret_cast<std::uint64_t>(this);
        if (random_.below(2) == 0) this_thread::yield();
        MXK_CHECK(*first == reinterpret_cast<std::uint64_t>(this));
        memory::free(block.value());
    }

    void have_child() {
        bool ran = false;
        auto child = [&] {
            this_thread::yield();
            ran = true;
        };
        auto thread = Thread::create({.core = core_id(random_.below(workers::count())), .name = "child"}, child);
        MXK_CHECK(thread.ok());
        if (!thread) return;
        MXK_CHECK(thread.value().join().ok());
        MXK_CHECK(ran);
    }

    Soak& soak_;
    bench::Random random_;
    std::uint64_t counted_ = 0;
};

// A task that goes from core to core, and takes and gives tokens as it comes by.
struct SoakTask : Task {
    SoakTask(Soak& its_soak, std::uint64_t seed, std::size_t& home_count)
        : Task(&SoakTask::step, Worker::current().core())
        , soak(its_soak)
        , random(seed)
        , at_home(home_count) {}
    static void step(Worker& worker, Task& task) {
        auto& self = static_cast<SoakTask&>(task);
        if (self.soak.free_tokens.try_wait()) self.soak.free_tokens.post();
        if (self.soak.stopped.load(std::memory_order_relaxed)) {
            task.body = [](Worker&, Task& arrived) { ++static_cast<SoakTask&>(arrived).at_home; };
            return worker.append(task, task.home);
        }
        worker.append(task, core_id(self.random.below(workers::count())));
    }
    Soak& soak;
    bench::Random random;
    std::size_t& at_home;
};

// The first of the names, and the others after it.
std::string_view take_name(std::string_view& names) {
    std::size_t const comma = std::min(names.find(','), names.size());
    std::string_view const name = names.substr(0, comma);
    names.remove_prefix(std::min(comma + 1, names.size()));
    return name;
}

// A thread that runs a part.
struct PartRunner {
    SoakPart const* part;
    SoakRun run;
    void operator()() const { part->run(run); }
};

} // namespace

bool is_soak_part_chosen(SoakPart const& part, std::string_view names) {
    while (!names.empty())
        if (take_name(names) == part.name) return true;
    return false;
}

Result<void> check_soak_parts(std::string_view names) {
    while (!names.empty()) {
        std::string_view const name = take_name(names);
        if (console::find_by_name(registered_soak_parts(), name) != nullptr) continue;
        FixedText<120> known;
        console::for_each_by_name(registered_soak_parts(), [&](SoakPart const& part) {
            if (!known.view().empty()) known.append(", ");
            known.append(part.name);
        });
        return Error::of("--with: expected parts, of {}, between commas, got '{}'", known.view(), name);
    }
    return {};
}

void soak(SoakOptions const& options, console::Invocation const* invocation) {
    NodeId const here = Worker::current().node();
    std::size_t const task_count = 4 * workers::count();
    auto users = NodeVector<SoakThread>::create(options.threads, here);
    auto tasks = NodeVector<SoakTask>::create(task_count, here);
    MXK_CHECK(users.ok() && tasks.ok());
    if (!users || !tasks) return;
    Soak soak;
    std::size_t at_home = 0;
    ThreadGroup group(options.threads);
    constexpr std::array<std::uint64_t, 4> slices{10'000, 50'000, 200'000, 1'000'000};
    for (std::size_t i = 0; i < options.threads; ++i)
        group.start({.core = core_id(i % workers::count()),
                     .name = "soak",
                     .slice = Nanoseconds{slices[i / workers::count() % 4]}},
                    users.value().emplace(soak, options.seed * 1000 + i));
    for (std::size_t i = 0; i < task_count; ++i)
        Worker::current().append(tasks.value().emplace(soak, options.seed * 2000 + i, at_home));
    constexpr std::size_t max_parts = 16;
    std::array<std::optional<PartRunner>, max_parts> runners;
    std::size_t parts = 0;
    ThreadGroup part_group(max_parts);
    console::for_each_by_name(registered_soak_parts(), [&](SoakPart const& part) {
        if (!is_soak_part_chosen(part, options.with)) return;
        expect(parts < max_parts, "soak has up to 16 parts");
        runners[parts].emplace(PartRunner{&part, {options.seed * 3000 + parts, soak.stopped}});
        part_group.start({.core = core_id(parts % workers::count()), .name = part.name}, *runners[parts]);
        ++parts;
    });
    std::uint64_t const end = raw(clock::now()) + std::uint64_t{options.seconds} * 1'000'000'000;
    wait_until([&] { return raw(clock::now()) >= end || (invocation != nullptr && invocation->cancelled()); });
    soak.stopped.store(true, std::memory_order_relaxed);
    group.join();
    part_group.join();
    Worker::current().run_until([&] { return at_home == task_count; });

    std::uint64_t counted = 0;
    for (SoakThread const& user : users.value()) counted += user.counted();
    MXK_CHECK(counted > 0);
    MXK_CHECK_EQUAL(soak.counted, counted);
    for (std::uint32_t i = 0; i < tokens; ++i) MXK_CHECK(soak.free_tokens.try_wait());
    MXK_CHECK(!soak.free_tokens.try_wait());
}

} // namespace mxk
