#include "bench/adaptive/mapping_run.hpp"

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstdint>

#include "base/spin_wait.hpp"
#include "bench/adaptive/mapped_space.hpp"
#include "bench/adaptive/page_changes.hpp"
#include "bench/frame/core_barrier.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/coroutine.hpp"
#include "tasks/count_down.hpp"
#include "tasks/run_on.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

using mapping::LockingKind;

// What the operations of all rounds took besides time.
class MappingCosts {
  public:
    // One core, while the others do nothing else that counts. `locks`: how often those were taken that count;
    // `messages`: tasks that were sent to owners until now.
    void begin(std::uint64_t locks, std::uint64_t messages) {
        before_ = mapping::coherence()->counts();
        locks_before_ = locks;
        messages_before_ = messages;
    }
    void end(std::uint64_t locks, std::uint64_t messages) {
        auto const after = mapping::coherence()->counts();
        interrupts_ += after.interrupts - before_.interrupts;
        flushes_ += after.page_flushes + after.full_flushes - before_.page_flushes - before_.full_flushes;
        atomics_ += after.atomics - before_.atomics;
        locks_ += locks - locks_before_;
        messages_ += messages - messages_before_;
    }

    // Per operation; `waited`: for how many operations locks and messages were counted.
    void report(Sample& sample, std::uint64_t operations, std::uint64_t waited) const {
        auto const mean = [](std::uint64_t sum, std::uint64_t count) {
            return static_cast<double>(sum) / static_cast<double>(count);
        };
        sample.findings.add("interrupts", mean(interrupts_, operations));
        sample.findings.add("flushes", mean(flushes_, operations));
        sample.findings.add("locks", mean(locks_, waited));
        sample.findings.add("atomics", mean(locks_, waited) + mean(atomics_, operations));
        sample.findings.add("messages", mean(messages_, waited));
    }

  private:
    mapping::CoherenceCounts before_{};
    std::uint64_t locks_before_ = 0;
    std::uint64_t messages_before_ = 0;
    std::uint64_t interrupts_ = 0;
    std::uint64_t flushes_ = 0;
    std::uint64_t atomics_ = 0;
    std::uint64_t locks_ = 0;
    std::uint64_t messages_ = 0;
};

// What a coroutine awaits, as often as wanted, until all cores of a run have come: `co_await rendezvous.of_all()`.
class Rendezvous : public Task {
    // Compilers copy it into the frame.
    struct Await {
        [[nodiscard]] bool await_ready() const { return rendezvous->arrive(); }
        template <std::derived_from<CoroutineTask> Promise> void await_suspend(std::coroutine_handle<Promise> waiter) {
            rendezvous->waiter_ = &waiter.promise();
            rendezvous->wait_ = {};
            Worker::current().when_round(*rendezvous);
        }
        static void await_resume() {}
        Rendezvous* rendezvous;
    };

  public:
    // `runs_tasks`: of the core, while it waits.
    Rendezvous(CoreBarrier& barrier, bool runs_tasks)
        : Task(&Rendezvous::look)
        , barrier_(barrier)
        , runs_tasks_(runs_tasks) {}
    Rendezvous(Rendezvous const&) = delete;
    Rendezvous& operator=(Rendezvous const&) = delete;

    Await of_all() { return {this}; }

  private:
    // Whether all have come.
    bool arrive() {
        if (!runs_tasks_) {
            barrier_.arrive_and_wait([] { mapping::coherence()->wait_turn(); });
            return true;
        }
        round_ = barrier_.arrive();
        return barrier_.have_met(round_);
    }
    static void look(Worker& worker, Task& task) {
        auto& self = static_cast<Rendezvous&>(task);
        if (self.barrier_.have_met(self.round_)) return self.waiter_->body(worker, *self.waiter_);
        self.wait_.turn();
        worker.when_round(self);
    }

    CoreBarrier& barrier_;
    bool runs_tasks_;
    std::size_t round_ = 0;
    SpinWait wait_;
    Task* waiter_ = nullptr;
};

constexpr LockingKind kind_of(MappingLocking locking) {
    switch (locking) {
    case MappingLocking::None: return LockingKind::None;
    case MappingLocking::Coarse: return LockingKind::Coarse;
    case MappingLocking::Fine: return LockingKind::Fine;
    case MappingLocking::Dynamic: return LockingKind::Dynamic;
    case MappingLocking::Message:
    case MappingLocking::MessageOne: return LockingKind::Owner;
    default: return LockingKind::Cascade;
    }
}

// What the coroutines of a run share.
class SharedRun {
  public:
    using Body = Coroutine<> (*)(SharedRun& shared, std::size_t place);

    // `has_one_space`: that all cores use, with an object for each page; else each core has one, with one object, of
    // which the first one's has the pages of the run.
    SharedRun(MappingRun const& its_run, bool has_one_space, mapping::Locking::Records records)
        : run(its_run)
        , database(*mapping::coherence(), kind_of(run.locking), has_one_space ? run.pages : run.cores.size(), node(0),
                   std::move(records))
        , barrier(run.cores.size())
        , has_one_space_(has_one_space)
        , ended_(run.cores.size()) {}

    Result<void> make_spaces() {
        std::size_t const count = has_one_space_ ? 1 : run.cores.size();
        spaces = MXK_TRY(NodeVector<MappedSpace>::create(count, node(0)));
        changes = MXK_TRY(NodeVector<PageChanges>::create(count, node(0)));
        // Of one owner up to as many pages in a task as a shootdown is for.
        bool const are_many = has_one_space_ && run.locking == MappingLocking::MessageOne;
        std::size_t const max_pages = are_many ? mapping::Withdrawals::capacity : 1;
        for (std::size_t place = 0; place < count; ++place) {
            auto const part_of = [&](std::size_t object) { return part(place, object); };
            std::size_t const objects = has_one_space_ ? run.pages : 1;
            std::size_t const pages = has_one_space_ || place != 0 ? 1 : run.pages;
            auto& space = spaces.emplace(MXK_TRY(MappedSpace::create(objects, pages, node(place), part_of)));
            changes.emplace(MXK_TRY(PageChanges::create(run.cores[place], node(place), space, database, max_pages)));
        }
        return {};
    }

    // Runs body(*this, place) on each core of the run until it has ended, with locks that adapt in the state that fits.
    Result<void> run_on_all(Body body) {
        auto done = adapt_locks();
        if (done) done = run_coroutines(body);
        for (auto& space : spaces)
            for (auto& object : space.objects()) database.share(object);
        await_locks();
        return done;
    }
    // Of one core, at the end of its body.
    void leave(bool is_done) {
        if (!is_done) ++wrong;
        mapping::coherence()->leave();
        ended_.count();
    }

    // `waited`: as for MappingCosts::report().
    [[nodiscard]] Sample sample(std::uint64_t operations, std::uint64_t waited) const {
        Sample result{.value = static_cast<double>(took.load()) / static_cast<double>(operations),
                      .operations = operations,
                      .verified = wrong == 0};
        costs.report(result, operations, waited);
        return result;
    }
    // That count: of the first space.
    [[nodiscard]] std::uint64_t locks() const { return database.lock_acquisitions(spaces[0].objects()); }

    MappingRun const& run;
    mapping::MappingDatabase database;
    NodeVector<MappedSpace> spaces;
    NodeVector<PageChanges> changes;
    CoreBarrier barrier;
    MappingCosts costs;
    std::atomic<std::uint64_t> took{0}; // cycles
    std::atomic<std::size_t> wrong{0};

  private:
    [[nodiscard]] NodeId node(std::size_t place) const { return workers::of(run.cores[place]).node(); }
    // Of the database: an owner is the object's user, or the cores' in turn where all use it, or always the last one.
    [[nodiscard]] std::size_t part(std::size_t place, std::size_t object) const {
        std::size_t const own = has_one_space_ ? object : place;
        if (run.locking == MappingLocking::Message) return index(run.cores[own % run.cores.size()]);
        return run.locking == MappingLocking::MessageOne ? index(run.cores.back()) : own;
    }

    void await_locks() {
        wait_until([&] {
            for (auto& space : spaces)
                for (auto& object : space.objects())
                    if (!database.is_settled(object)) return false;
            return true;
        });
    }
    // They become those of the core that works with the space: the first one's, or of the core at the space's place. Of
    // a cascade: the granularity that the run says, or that fits the number of cores that come to it.
    Result<void> adapt_locks() {
        Result<void> done{};
        bool is_alone = true;
        if (kind_of(run.locking) == LockingKind::Cascade) {
            bool const is_fine = run.locking == MappingLocking::CascadeFine ||
                                 (run.locking == MappingLocking::Cascade && spaces.size() > 1);
            if (is_fine)
                if (auto const begun = database.locking().cascade().refine(); !begun) return begun.error();
            is_alone = run.locking == MappingLocking::Cascade && !is_fine;
        }
        if (is_alone)
            done = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
                if (place < spaces.size())
                    for (auto& object : spaces[place].objects()) database.claim(object);
                return Step::Done;
            });
        await_locks();
        return done;
    }
    Result<void> run_coroutines(Body body) {
        auto coroutines = MXK_TRY(NodeVector<Coroutine<>>::create(run.cores.size(), node(0)));
        for (std::size_t place = 0; place < run.cores.size(); ++place) coroutines.emplace();
        MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
            coroutines[place] = body(*this, place);
            return Step::Done;
        }));
        for (auto const& coroutine : coroutines)
            if (!coroutine) return no_memory_for_steps();
        if (!run_on(run.cores, [&](Worker& worker, std::size_t place) {
                coroutines[place].release().begin(worker, nullptr);
                return Step::Done;
            }))
            return no_memory_for_steps();
        ended_.wait();
        return run.progress.check();
    }

    bool has_one_space_;
    CountDown ended_;
};

Coroutine<> unmap(SharedRun& shared, std::size_t place) {
    MappedSpace& space = shared.spaces[0];
    PageChanges& changes = shared.changes[0]; // the first core's
    std::size_t const pages = shared.run.pages;
    Rendezvous rendezvous(shared.barrier, changes.has_owners());
    space.activate();
    bool is_done = true;
    for (std::size_t round = 0; round < shared.run.rounds; ++round) {
        if (place == 0) is_done = co_await changes.all(PageChange::Map) && is_done;
        co_await rendezvous.of_all();
        if (space.writable(pages) != pages) ++shared.wrong;
        co_await rendezvous.of_all();
        if (place == 0) {
            shared.costs.begin(shared.locks(), changes.sent());
            Cycles const start = clock::timestamp();
            is_done = co_await changes.all(PageChange::Unmap) && is_done;
            if (changes.has_owners()) is_done = co_await changes.all(PageChange::Settle) && is_done;
            shared.took += raw(clock::timestamp() - start);
            shared.costs.end(shared.locks(), changes.sent());
        }
        co_await rendezvous.of_all();
        if (space.writable(pages) != 0) ++shared.wrong;
        co_await rendezvous.of_all(); // before the first core maps them again
    }
    shared.leave(is_done);
}

Coroutine<> revoke(SharedRun& shared, std::size_t place) {
    MappedSpace& space = shared.spaces[place];
    PageChanges& changes = shared.changes[place];
    std::size_t const pages = space.pages();
    Rendezvous rendezvous(shared.barrier, changes.has_owners());
    space.activate();
    bool is_done = co_await changes.all(PageChange::Map);
    for (std::size_t round = 0; round < shared.run.rounds; ++round) {
        if (space.writable(pages) != pages) ++shared.wrong;
        co_await rendezvous.of_all();
        if (place == 0) shared.costs.begin(shared.locks(), changes.sent());
        co_await rendezvous.of_all();
        Cycles const start = clock::timestamp();
        is_done = co_await changes.all(PageChange::Withdraw) && is_done;
        Cycles const withdrawn = clock::timestamp();
        co_await rendezvous.of_all();
        if (place == 0) {
            Cycles const goes_on = clock::timestamp();
            is_done = co_await changes.all(PageChange::Settle) && is_done;
            shared.took += raw((withdrawn - start) + (clock::timestamp() - goes_on));
            shared.costs.end(shared.locks(), changes.sent());
        }
        co_await rendezvous.of_all();
        is_done = co_await changes.all(PageChange::Settle) && is_done;
        if (space.writable(pages) != 0) ++shared.wrong;
        is_done = co_await changes.all(PageChange::GiveWriting) && is_done;
    }
    is_done = co_await changes.all(PageChange::Unmap) && is_done;
    is_done = co_await changes.all(PageChange::Settle) && is_done;
    shared.leave(is_done);
}

Coroutine<> revoke_independently(SharedRun& shared, std::size_t place) {
    MappedSpace& space = shared.spaces[place];
    PageChanges& changes = shared.changes[place];
    Rendezvous rendezvous(shared.barrier, changes.has_owners());
    space.activate();
    bool is_done = co_await changes.all(PageChange::Map);
    co_await rendezvous.of_all();
    if (place == 0) shared.costs.begin(shared.locks(), 0);
    co_await rendezvous.of_all();
    std::uint64_t own = 0;
    std::uint64_t messages = 0;
    for (std::size_t round = 0; round < shared.run.rounds; ++round) {
        if (space.writable(1) != 1) ++shared.wrong;
        std::uint64_t const sent = changes.sent();
        Cycles const start = clock::timestamp();
        is_done = co_await changes.all(PageChange::WithdrawAndSettle) && is_done;
        own += raw(clock::timestamp() - start);
        messages += changes.sent() - sent;
        if (space.writable(1) != 0) ++shared.wrong;
        is_done = co_await changes.all(PageChange::GiveWriting) && is_done;
        if (!changes.has_owners()) mapping::coherence()->wait_turn();
    }
    shared.took += own;
    co_await rendezvous.of_all();
    if (place == 0) shared.costs.end(shared.locks(), messages);
    co_await rendezvous.of_all();
    is_done = co_await changes.all(PageChange::Unmap) && is_done;
    is_done = co_await changes.all(PageChange::Settle) && is_done;
    shared.leave(is_done);
}

Result<Sample> run_mapping(MappingRun const& run, bool has_one_space, SharedRun::Body body, std::uint64_t operations,
                           std::uint64_t waited) {
    mapping::Locking::Records records;
    if (kind_of(run.locking) == LockingKind::Owner)
        records = MXK_TRY(mapping::Locking::make_records(system_topology().cores));
    SharedRun shared(run, has_one_space, std::move(records));
    MXK_TRY(shared.make_spaces());
    MXK_TRY(shared.run_on_all(body));
    return shared.sample(operations, waited);
}

} // namespace

Result<Sample> run_unmap(MappingRun const& run) {
    std::uint64_t const operations = run.rounds * run.pages;
    return run_mapping(run, true, &unmap, operations, operations);
}
Result<Sample> run_revoke(MappingRun const& run) {
    return run_mapping(run, false, &revoke, run.rounds, run.rounds);
}
Result<Sample> run_revoke_independent(MappingRun const& run) {
    return run_mapping(run, false, &revoke_independently, run.rounds * run.cores.size(), run.rounds);
}

} // namespace mxk::bench
