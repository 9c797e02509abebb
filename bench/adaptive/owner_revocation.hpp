// The runs of revocation.hpp by messages: nothing is locked, since each memory object is one core's, which does in
// tasks what others want of it. What a core of the set does is a coroutine, so that its core runs these tasks whenever
// it waits.
#pragma once

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "bench/adaptive/mapping_run.hpp"
#include "bench/adaptive/owner_calls.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/coroutine.hpp"
#include "tasks/count_down.hpp"
#include "tasks/parallel.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// Whose the objects are: each its user's, or the cores' in turn where all use them; or all the last core's of the set.
enum class Owners : std::uint8_t { Each, One };

// What a coroutine awaits, as often as wanted, until all cores of a run have come: `co_await meeting.of_all()`.
class Meeting : public Task {
    // Compilers copy it into the frame.
    struct Await {
        [[nodiscard]] bool await_ready() const { return meeting->has_come_last(); }
        template <std::derived_from<CoroutineTask> Promise> void await_suspend(std::coroutine_handle<Promise> waiter) {
            meeting->waiter_ = &waiter.promise();
            meeting->wait_ = {};
            Worker::current().when_round(*meeting);
        }
        static void await_resume() {}
        Meeting* meeting;
    };

  public:
    explicit Meeting(RoundBarrier& barrier)
        : Task(&Meeting::look)
        , barrier_(barrier) {}
    Meeting(Meeting const&) = delete;
    Meeting& operator=(Meeting const&) = delete;

    Await of_all() { return {this}; }

  private:
    bool has_come_last() {
        round_ = barrier_.arrive();
        return barrier_.have_met(round_);
    }
    static void look(Worker& worker, Task& task) {
        auto& self = static_cast<Meeting&>(task);
        if (self.barrier_.have_met(self.round_)) return self.waiter_->body(worker, *self.waiter_);
        self.wait_.turn();
        worker.when_round(self);
    }

    RoundBarrier& barrier_;
    std::size_t round_ = 0;
    SpinWait wait_;
    Task* waiter_ = nullptr;
};

// What the coroutines of a run share.
struct OwnerRun {
    OwnerRun(MappingRun const& its_run, mapping::OwnerLocking::Records records)
        : run(its_run)
        , database(*mapping::coherence(), std::move(records))
        , barrier(its_run.cores.size())
        , ended(its_run.cores.size()) {}

    // With their calls, of up to `max_pages` each. Errors: no memory.
    template <typename PartOf>
    Result<void> add_space(std::size_t place, std::size_t objects, std::size_t pages, std::size_t max_pages,
                           PartOf part_of) {
        NodeId const node = workers::of(run.cores[place]).node();
        auto& space = spaces.emplace(MXK_TRY(OwnerSpace::create(objects, pages, node, part_of)));
        calls.emplace(MXK_TRY(OwnerCalls::create(run.cores[place], node, space, database, max_pages)));
        return {};
    }
    Result<void> make_room(std::size_t count) {
        NodeId const node = workers::of(run.cores.front()).node();
        spaces = MXK_TRY(NodeVector<OwnerSpace>::create(count, node));
        calls = MXK_TRY(NodeVector<OwnerCalls>::create(count, node));
        return {};
    }
    // A space for each core, with one object, of which the first one's has the pages of the run.
    Result<void> add_space_for_each(Owners owners) {
        MXK_TRY(make_room(run.cores.size()));
        for (std::size_t place = 0; place < run.cores.size(); ++place) {
            CoreId const owner = owners == Owners::Each ? run.cores[place] : run.cores.back();
            MXK_TRY(add_space(place, 1, place == 0 ? run.pages : 1, 1, [owner](std::size_t) { return index(owner); }));
        }
        return {};
    }

    // Runs body(*this, place) on each core of the run until it has ended. Errors: no memory, and none has begun; or
    // interrupted by Ctrl-C. The console's task.
    template <typename Body> Result<void> run_on_all(Body body) {
        auto coroutines =
            MXK_TRY(NodeVector<Coroutine<>>::create(run.cores.size(), workers::of(run.cores.front()).node()));
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
        ended.wait();
        return run.progress.check();
    }

    MappingRun const& run;
    OwnerDatabase database;
    NodeVector<OwnerSpace> spaces;
    NodeVector<OwnerCalls> calls;
    RoundBarrier barrier;
    CountDown ended;
    MappingCosts costs;
    Cycles took{};
    std::atomic<std::uint64_t> took_by_all{0};
    std::atomic<std::size_t> wrong{0};
};

inline Coroutine<> unmap_at_owners(OwnerRun& shared, std::size_t place) {
    OwnerSpace& space = shared.spaces[0];
    OwnerCalls& calls = shared.calls[0]; // the first core's
    std::size_t const pages = shared.run.pages;
    Meeting meeting(shared.barrier);
    space.activate();
    for (std::size_t round = 0; round < shared.run.rounds; ++round) {
        if (place == 0) {
            bool const is_mapped = co_await calls.map();
            if (!is_mapped) ++shared.wrong;
        }
        co_await meeting.of_all();
        if (space.writable(pages) != pages) ++shared.wrong;
        co_await meeting.of_all();
        if (place == 0) {
            shared.costs.begin(0, calls.sent());
            Cycles const start = clock::timestamp();
            bool const is_unmapped = co_await calls.unmap();
            bool const is_settled = co_await calls.settle();
            shared.took = shared.took + (clock::timestamp() - start);
            shared.costs.end(0, calls.sent());
            if (!is_unmapped || !is_settled) ++shared.wrong;
        }
        co_await meeting.of_all();
        if (space.writable(pages) != 0) ++shared.wrong;
        co_await meeting.of_all(); // before the first core maps them again
    }
    mapping::coherence()->leave();
    shared.ended.count();
}

// E3. The first core unmaps all pages. Of one owner it wants up to as many in a task as a shootdown is for, else one.
inline Result<Sample> run_unmap_by_messages(MappingRun const& run, Owners owners) {
    OwnerRun shared(run, MXK_TRY(mapping::OwnerLocking::make_records(system_topology().cores)));
    MXK_TRY(shared.make_room(1));
    MXK_TRY(shared.add_space(0, run.pages, 1, owners == Owners::Each ? 1 : mapping::Withdrawals::capacity,
                             [&](std::size_t object) {
                                 bool const is_each = owners == Owners::Each;
                                 return index(is_each ? run.cores[object % run.cores.size()] : run.cores.back());
                             }));
    MXK_TRY(shared.run_on_all(&unmap_at_owners));
    std::uint64_t const operations = run.rounds * run.pages;
    Sample sample{.value = static_cast<double>(raw(shared.took)) / static_cast<double>(operations),
                  .operations = operations,
                  .verified = shared.wrong == 0};
    shared.costs.report(sample, operations, operations);
    return sample;
}

inline Coroutine<> revoke_at_owners(OwnerRun& shared, std::size_t place) {
    OwnerSpace& space = shared.spaces[place];
    OwnerCalls& calls = shared.calls[place];
    std::size_t const pages = space.pages();
    Meeting meeting(shared.barrier);
    space.activate();
    bool is_done = co_await calls.map();
    for (std::size_t round = 0; round < shared.run.rounds; ++round) {
        if (space.writable(pages) != pages) ++shared.wrong;
        co_await meeting.of_all();
        if (place == 0) shared.costs.begin(0, calls.sent());
        co_await meeting.of_all();
        Cycles const start = clock::timestamp();
        is_done = co_await calls.withdraw() && is_done;
        Cycles const withdrawn = clock::timestamp();
        co_await meeting.of_all();
        if (place == 0) {
            Cycles const goes_on = clock::timestamp();
            is_done = co_await calls.settle() && is_done;
            shared.took = shared.took + (withdrawn - start) + (clock::timestamp() - goes_on);
            shared.costs.end(0, calls.sent());
        }
        co_await meeting.of_all();
        is_done = co_await calls.settle() && is_done;
        if (space.writable(pages) != 0) ++shared.wrong;
        is_done = co_await calls.give() && is_done;
    }
    is_done = co_await calls.unmap() && is_done;
    is_done = co_await calls.settle() && is_done;
    if (!is_done) ++shared.wrong;
    mapping::coherence()->leave();
    shared.ended.count();
}

// E4. All cores withdraw the right to write, the first one of all its pages.
inline Result<Sample> run_revoke_by_messages(MappingRun const& run, Owners owners) {
    OwnerRun shared(run, MXK_TRY(mapping::OwnerLocking::make_records(system_topology().cores)));
    MXK_TRY(shared.add_space_for_each(owners));
    MXK_TRY(shared.run_on_all(&revoke_at_owners));
    Sample sample{.value = static_cast<double>(raw(shared.took)) / static_cast<double>(run.rounds),
                  .operations = run.rounds,
                  .verified = shared.wrong == 0};
    shared.costs.report(sample, run.rounds, run.rounds);
    return sample;
}

inline Coroutine<> revoke_independently_at_owners(OwnerRun& shared, std::size_t place) {
    OwnerSpace& space = shared.spaces[place];
    OwnerCalls& calls = shared.calls[place];
    Meeting meeting(shared.barrier);
    space.activate();
    bool is_done = co_await calls.map();
    co_await meeting.of_all();
    if (place == 0) shared.costs.begin(0);
    co_await meeting.of_all();
    std::uint64_t own = 0;
    std::uint64_t messages = 0;
    for (std::size_t round = 0; round < shared.run.rounds; ++round) {
        if (space.writable(1) != 1) ++shared.wrong;
        std::uint64_t const sent = calls.sent();
        Cycles const start = clock::timestamp();
        is_done = co_await calls.withdraw_and_settle() && is_done;
        own += raw(clock::timestamp() - start);
        messages += calls.sent() - sent;
        if (space.writable(1) != 0) ++shared.wrong;
        is_done = co_await calls.give() && is_done;
    }
    shared.took_by_all += own;
    co_await meeting.of_all();
    if (place == 0) shared.costs.end(0, messages);
    co_await meeting.of_all();
    is_done = co_await calls.unmap() && is_done;
    is_done = co_await calls.settle() && is_done;
    if (!is_done) ++shared.wrong;
    mapping::coherence()->leave();
    shared.ended.count();
}

// E5. Each core withdraws the right to write of its one page, again and again.
inline Result<Sample> run_revoke_independent_by_messages(MappingRun const& run, Owners owners) {
    OwnerRun shared(run, MXK_TRY(mapping::OwnerLocking::make_records(system_topology().cores)));
    MXK_TRY(shared.add_space_for_each(owners));
    MXK_TRY(shared.run_on_all(&revoke_independently_at_owners));
    std::uint64_t const operations = run.rounds * run.cores.size();
    Sample sample{.value = static_cast<double>(shared.took_by_all.load()) / static_cast<double>(operations),
                  .operations = operations,
                  .verified = shared.wrong == 0};
    shared.costs.report(sample, operations, run.rounds);
    return sample;
}

} // namespace mxk::bench
