// The thesis' open addressing for threads (section 3.1): one array of slots that is cut into regions, a semaphore for
// each region, and an operation that goes on in the next region where one ends (travelling_probe.hpp), the first behind
// the last. All threads work on all regions, each in one at a time.
//
// What has to hold is that operations on one key go their way in the order in which they began, none past another
// (rule 1 there). To give back one region's semaphore and then take the next one's would let others in between; to take
// the next one's first and give back the held one afterwards keeps the order, but regions are a ring: threads that
// each have one and wait for the next one could be all around it. So a region has a door for those that come from the
// one in front of it, with turns (tasks/threads/turns.hpp). A thread asks for its turn while it has the region in
// front, which fixes its place, gives that one back, and only then waits, first for its turn, then for the semaphore,
// which it has before the next one's turn comes. A thread that begins in a region takes the semaphore alone: none of
// those at the door has its key, but for some that have come all the way round and look at other slots.
//
//     region 0                 region 1
//     semaphore: A             semaphore: D (began here)
//     door: none               door: B, C, which have left region 0; A, which still has it, asks behind them
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/table/travelling_probe.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/threads/semaphore_lock.hpp"
#include "tasks/threads/turns.hpp"

namespace mxk {

// Every function: any thread, and blocks for regions, unless it says otherwise.
class LockedProbe {
  public:
    using Table = TravellingProbe::Table;

    // One region for each owner, on its node. All slots are written by the calling core, which may run a task.
    // `threads`: no more of them use the table. Errors: no owner, more owners than slots, no memory.
    static Result<LockedProbe> create(std::size_t slots, std::span<Owner const> owners, std::size_t threads,
                                      SemaphoreKind kind) {
        LockedProbe result(MXK_TRY(Table::create(slots, owners)));
        result.entries_ = MXK_TRY(PerCore<Entry>::with_room(owners.size(), owners.front().node));
        for (Owner const& owner : owners) {
            auto door = MXK_TRY(Turns::create(threads, kind, owner.node)); // a thread has one turn at a time
            auto const added = result.entries_.add(owner.node, kind, std::move(door));
            if (!added) return added.error();
        }
        return result;
    }

    // From the key's region to the operation's end: visit(table, region) in each region that the probe comes through,
    // while no other thread has that one; what it gives last, which is not EndOfRegion.
    template <typename Visit> Probed travel(TravellingProbe const& probe, Visit visit) {
        std::size_t at = table_.owner(probe.key());
        entries_[at].lock.lock();
        for (;;) {
            Probed const probed = visit(table_, at);
            if (probed != Probed::EndOfRegion) [[likely]] {
                entries_[at].lock.unlock();
                return probed;
            }
            at = go_on(at);
        }
    }

    // As TravellingProbe's.
    Probed put(TravellingProbe& probe) {
        return travel(probe, [&](Table& table, std::size_t at) { return probe.put(table, at); });
    }
    Probed find(TravellingProbe& probe) {
        return travel(probe, [&](Table const& table, std::size_t at) { return probe.find(table, at); });
    }
    Probed erase(TravellingProbe& probe) {
        return travel(probe, [&](Table& table, std::size_t at) { return probe.erase(table, at); });
    }

    // All below: anybody, tasks too, while no thread works on the table.
    [[nodiscard]] Table const& regions() const { return table_; }
    // Whether the key is there; the probe then has its value.
    [[nodiscard]] bool look_up(TravellingProbe& probe) const {
        std::size_t at = table_.owner(probe.key());
        Probed probed = probe.find(table_, at);
        while (probed == Probed::EndOfRegion) probed = probe.find(table_, at = TravellingProbe::next(table_, at));
        return probed == Probed::There;
    }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    template <typename Visit> void for_each(Visit visit) const { table_.for_each(visit); }

  private:
    struct Entry {
        Entry(SemaphoreKind kind, Turns its_door)
            : lock(kind)
            , door(std::move(its_door)) {}
        SemaphoreLock lock; // of the region
        Turns door;
    };

    // To the next region, which the thread has then in place of this one.
    std::size_t go_on(std::size_t at) {
        std::size_t const next = TravellingProbe::next(table_, at);
        Turns::Turn const turn = entries_[next].door.ask();
        entries_[at].lock.unlock();
        entries_[next].door.wait(turn);
        entries_[next].lock.lock();
        entries_[next].door.end(turn);
        return next;
    }

    explicit LockedProbe(Table table)
        : table_(std::move(table)) {}

    Table table_;
    PerCore<Entry> entries_; // by region
};

} // namespace mxk
