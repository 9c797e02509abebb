// MXK's own ways to protect a reader, and simple locks: one for each core, which nobody else wants, and one for all.
#include "bench/rcu/read_kind.hpp"

#include <utility>

#include "base/spin_wait.hpp"
#include "bench/rcu/lock_readers.hpp"
#include "bench/rcu/simple_locks.hpp"
#include "bench/thread/own_threads.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/rcu/a_rcu.hpp"
#include "tasks/rcu/rcu_wait.hpp"

namespace mxk::bench {

namespace {

// A task's section is nothing; its core is quiescent where the reader says so.
struct TaskReaders {
    struct Reader {
        struct Section : rcu::TaskReadSection {
            explicit Section(Reader&) {}
        };
        static constexpr bool may_wait = false;
        Reader(TaskReaders&, std::size_t) {}
        static void quiescent() { rcu::quiescent(); }
    };
    [[nodiscard]] static bool is_sound(std::span<ReadTurn const> /*turns*/) { return arch::sections_of_task() == 0; }
};

Result<Sample> run_qsbr(ReadRun const& run) {
    TaskReaders shared;
    return read_in_tasks(run, shared);
}
constexpr ReadKind qsbr{
    .name = "qsbr", .summary = "a task's section, with a quiescent point every 1024 of them", .run = &run_qsbr};
MXK_REGISTER(mxk_read_kinds, ReadKind, qsbr);

// A thread's, on metal two instructions. It is preempted at any time, and so needs no quiescent points.
template <typename ReadSection> struct ThreadReaders {
    struct Reader {
        struct Section : ReadSection {
            explicit Section(Reader&) {}
        };
        static constexpr bool may_wait = false;
        Reader(ThreadReaders&, std::size_t) {}
        static void quiescent() {}
    };
    [[nodiscard]] static bool is_sound(std::span<ReadTurn const> /*turns*/) { return true; }
};

// One run in threads, one on each core.
template <typename Shared> Result<Sample> read_in_threads(ReadRun const& run, Shared& shared) {
    std::size_t const count = run.cores.size();
    auto const turns = MXK_TRY(turns_of(count));
    OwnThreads const layer{.progress = run.progress, .slice = Nanoseconds{1'000'000}};
    OwnThreads::ThreadTeam team(layer, MXK_TRY(OwnThreads::ThreadTeam::room(count)));
    std::atomic<std::size_t> missing{count};
    std::atomic<std::size_t> done{0};
    auto const read = [&](std::size_t place) {
        typename Shared::Reader reader(shared, place);
        // acq_rel, with the load below: all begin together
        missing.fetch_sub(1, std::memory_order_acq_rel);
        for (SpinWait wait; missing.load(std::memory_order_acquire) != 0;) wait.turn();
        auto const stop = [&] { return team.wanted(); };
        turns[place].start = clock::timestamp();
        read_sections(run, reader, stop, turns[place]);
        done.fetch_add(1, std::memory_order_relaxed);
    };
    struct Body {
        decltype(read) const& body;
        std::size_t place;
        void operator()() const { body(place); }
    };
    auto bodies = MXK_TRY(NodeVector<Body>::create(count, Worker::current().node()));
    for (std::size_t place = 0; place < count; ++place)
        MXK_TRY(team.add(run.cores[place], bodies.emplace(read, place)));
    auto const count_done = [](void const* it) {
        return static_cast<std::atomic<std::size_t> const*>(it)->load(std::memory_order_relaxed);
    };
    MXK_TRY(team.run("sections of threads", count, count_done, &done));
    return read_sample(turns.span(), shared);
}

template <typename ReadSection> Result<Sample> run_thread_sections(ReadRun const& run) {
    ThreadReaders<ReadSection> shared;
    return read_in_threads(run, shared);
}
constexpr ReadKind rcu_threads{
    .name = "rcu", .summary = "a thread's section", .run = &run_thread_sections<rcu::ReadSection>};
MXK_REGISTER(mxk_read_kinds, ReadKind, rcu_threads);
constexpr ReadKind a_rcu_threads{
    .name = "a-rcu", .summary = "a thread's section of A-RCU", .run = &run_thread_sections<a_rcu::ReadSection>};
MXK_REGISTER(mxk_read_kinds, ReadKind, a_rcu_threads);

template <typename Lock, bool is_shared>
constexpr ReadKind lock_readers(std::string_view name, std::string_view summary) {
    return {.name = name, .summary = summary, .run = &LockReaders<Lock, is_shared>::run};
}
constexpr ReadKind spin =
    lock_readers<TestAndSetLock, false>("spin", "a test-and-set lock for each core: nobody else wants it");
MXK_REGISTER(mxk_read_kinds, ReadKind, spin);
constexpr ReadKind spin_shared = lock_readers<TestAndSetLock, true>("spin-shared", "a test-and-set lock for all cores");
MXK_REGISTER(mxk_read_kinds, ReadKind, spin_shared);
constexpr ReadKind ticket = lock_readers<TicketLock, false>("ticket", "a ticket lock for each core");
MXK_REGISTER(mxk_read_kinds, ReadKind, ticket);
constexpr ReadKind ticket_shared = lock_readers<TicketLock, true>("ticket-shared", "a ticket lock for all cores");
MXK_REGISTER(mxk_read_kinds, ReadKind, ticket_shared);
constexpr ReadKind rwlock =
    lock_readers<ReaderWriterLock, false>("rwlock", "a reader-writer lock for each core, taken by a reader");
MXK_REGISTER(mxk_read_kinds, ReadKind, rwlock);
constexpr ReadKind rwlock_shared =
    lock_readers<ReaderWriterLock, true>("rwlock-shared", "a reader-writer lock for all cores, taken by readers");
MXK_REGISTER(mxk_read_kinds, ReadKind, rwlock_shared);

} // namespace
} // namespace mxk::bench
