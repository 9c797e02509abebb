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
        Reader(TaskReaders&, std::size_t) {}
        static void quiescent() { rcu::quiescent(); }
    };
    [[nodiscard]] static bool is_sound(std::uint64_t /*sections*/) { return arch::sections_of_task() == 0; }
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
        Reader(ThreadReaders&, std::size_t) {}
        static void quiescent() {}
    };
    [[nodiscard]] static bool is_sound(std::uint64_t /*sections*/) { return true; }
};

// One run in threads, one on each core.
template <typename Shared> class ReadThreads {
  public:
    ReadThreads(ReadRun const& run, Shared& shared, OwnThreads::ThreadTeam& team, NodeVector<ReadTurn> const& turns)
        : run_(run)
        , shared_(shared)
        , team_(team)
        , turns_(turns)
        , missing_(run.cores.size()) {}

    struct Body {
        ReadThreads& all;
        std::size_t place;
        void operator()() const { all.read(place); }
    };

    static std::size_t count_done(void const* it) {
        return static_cast<ReadThreads const*>(it)->done_.load(std::memory_order_relaxed);
    }

  private:
    void read(std::size_t place) {
        typename Shared::Reader reader(shared_, place);
        // acq_rel, with the load below: all begin together
        missing_.fetch_sub(1, std::memory_order_acq_rel);
        for (SpinWait wait; missing_.load(std::memory_order_acquire) != 0;) wait.turn();
        auto const stop = [this] { return team_.wanted(); };
        read_for(run_, reader, stop, turns_[place]);
        done_.fetch_add(1, std::memory_order_relaxed);
    }

    ReadRun const& run_;
    Shared& shared_;
    OwnThreads::ThreadTeam& team_;
    NodeVector<ReadTurn> const& turns_;
    std::atomic<std::size_t> missing_;
    std::atomic<std::size_t> done_{0};
};

template <typename Shared> Result<Sample> read_in_threads(ReadRun const& run, Shared& shared) {
    using Threads = ReadThreads<Shared>;
    auto const turns = MXK_TRY(turns_of(run.cores.size()));
    auto bodies = MXK_TRY(NodeVector<typename Threads::Body>::create(run.cores.size(), Worker::current().node()));
    OwnThreads const layer{.progress = run.progress, .slice = Nanoseconds{1'000'000}};
    OwnThreads::ThreadTeam team(layer, MXK_TRY(OwnThreads::ThreadTeam::room(run.cores.size())));
    Threads threads(run, shared, team, turns);
    for (std::size_t place = 0; place < run.cores.size(); ++place)
        MXK_TRY(team.add(run.cores[place], bodies.emplace(threads, place)));
    MXK_TRY(team.run("sections of threads", run.cores.size(), &Threads::count_done, &threads));
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

constexpr ReadKind spin{.name = "spin",
                        .summary = "a test-and-set lock for each core: nobody else wants it",
                        .run = &LockReaders<TestAndSetLock>::run<false>};
MXK_REGISTER(mxk_read_kinds, ReadKind, spin);
constexpr ReadKind spin_shared{.name = "spin-shared",
                               .summary = "a test-and-set lock for all cores",
                               .run = &LockReaders<TestAndSetLock>::run<true>};
MXK_REGISTER(mxk_read_kinds, ReadKind, spin_shared);
constexpr ReadKind ticket{
    .name = "ticket", .summary = "a ticket lock for each core", .run = &LockReaders<TicketLock>::run<false>};
MXK_REGISTER(mxk_read_kinds, ReadKind, ticket);
constexpr ReadKind ticket_shared{
    .name = "ticket-shared", .summary = "a ticket lock for all cores", .run = &LockReaders<TicketLock>::run<true>};
MXK_REGISTER(mxk_read_kinds, ReadKind, ticket_shared);
constexpr ReadKind rwlock{.name = "rwlock",
                          .summary = "a reader-writer lock for each core, taken by a reader",
                          .run = &LockReaders<ReaderWriterLock>::run<false>};
MXK_REGISTER(mxk_read_kinds, ReadKind, rwlock);
constexpr ReadKind rwlock_shared{.name = "rwlock-shared",
                                 .summary = "a reader-writer lock for all cores, taken by readers",
                                 .run = &LockReaders<ReaderWriterLock>::run<true>};
MXK_REGISTER(mxk_read_kinds, ReadKind, rwlock_shared);

} // namespace
} // namespace mxk::bench
