// MXK's own ways to protect a reader, and simple locks: one for each core, which nobody else wants, and one for all.
#include "bench/rcu/read_kind.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/spin_lock.hpp"
#include "base/spin_wait.hpp"
#include "bench/rcu/lock_readers.hpp"
#include "bench/rcu/podzimek_rcu.hpp"
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
        static bool must_look() { return false; }
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
        static bool must_look() { return false; }
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

template <typename Shared> Result<Sample> run_threads(ReadRun const& run) {
    Shared shared;
    return read_in_threads(run, shared);
}
constexpr ReadKind rcu_threads{
    .name = "rcu", .summary = "a thread's section", .run = &run_threads<ThreadReaders<rcu::ReadSection>>};
MXK_REGISTER(mxk_read_kinds, ReadKind, rcu_threads);
constexpr ReadKind a_rcu_threads{
    .name = "a-rcu", .summary = "a thread's section of A-RCU", .run = &run_threads<ThreadReaders<a_rcu::ReadSection>>};
MXK_REGISTER(mxk_read_kinds, ReadKind, a_rcu_threads);

struct PodzimekReaders {
    struct Reader {
        struct Section {
            explicit Section(Reader& its_reader)
                : reader(its_reader.own) {
                reader.enter();
            }
            ~Section() { reader.leave(); }
            Section(Section const&) = delete;
            Section& operator=(Section const&) = delete;
            PodzimekRcu::Reader& reader;
        };
        Reader(PodzimekReaders& all, std::size_t place)
            : own(all.rcu.reader(place)) {}
        static bool must_look() { return false; }
        static void quiescent() {}
        PodzimekRcu::Reader& own;
    };
    [[nodiscard]] bool is_sound(std::span<ReadTurn const> /*turns*/) const {
        auto const readers = rcu.readers();
        return std::none_of(readers.begin(), readers.end(), [](auto const& reader) { return reader.is_inside(); });
    }
    PodzimekRcu rcu;
};
Result<Sample> run_podzimek_rcu(ReadRun const& run) {
    PodzimekReaders shared;
    MXK_TRY(shared.rcu.prepare(run.cores));
    return read_in_threads(run, shared);
}
constexpr ReadKind podzimek_rcu{.name = "podzimek-rcu",
                                .summary = "a thread's section of Podzimek's RCU, the preemptible variant",
                                .run = &run_podzimek_rcu};
MXK_REGISTER(mxk_read_kinds, ReadKind, podzimek_rcu);

// A spin lock for all, whose holder is not preempted. A section may wait for a processor of the host.
struct SpinReaders {
    struct Reader {
        struct Section {
            explicit Section(Reader& reader)
                : guard(reader.all.lock) {
                ++reader.all.counted;
            }
            LockGuard<SpinLock> guard;
        };
        Reader(SpinReaders& its_all, std::size_t)
            : all(its_all) {}
        bool must_look() { return ++sections % 16 == 0; }
        static void quiescent() {}
        SpinReaders& all;
        unsigned sections = 0;
    };
    [[nodiscard]] bool is_sound(std::span<ReadTurn const> turns) const {
        std::uint64_t sections = 0;
        for (ReadTurn const& turn : turns) sections += turn.sections;
        return counted == sections;
    }
    alignas(cache_line_bytes) SpinLock lock{lock_bands::application.rank(46)};
    std::uint64_t counted = 0; // behind it
};

struct NoSection {};
constexpr std::array kinds_of_figure{
    ReadKind{.name = "ideal", .summary = {}, .run = &run_threads<ThreadReaders<NoSection>>}, a_rcu_threads,
    podzimek_rcu, ReadKind{.name = "spinlock", .summary = {}, .run = &run_threads<SpinReaders>}};

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

std::span<ReadKind const> figure_kinds() {
    return kinds_of_figure;
}

} // namespace mxk::bench
