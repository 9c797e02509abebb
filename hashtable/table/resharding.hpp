// Changes the cores that own the shards of a table while operations flow. Nothing stops: shards go to their new
// owners one at a time, as a pointer, and their memory follows block by block where it belongs on another node.
//
// What has to be kept is the order of one client's operations on one key. So no core learns of the new owners before it
// has sent all that it has for the old ones, and behind it a marker, which the queues, FIFO per sender, deliver last:
//
//     client       op op op marker ->  old owner                 op op ->  new owner
//     old owner    has all clients' markers: nothing for these shards will come any more; gives them away
//     new owner    parks what comes before they have come, and then runs it first
//
// So an operation never meets a shard that is not there. One that was sent to a former owner in another way (its
// sender asked for the owner, and sent it later) is sent on by the tasks that ask (OwnedShards::owns).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/table/sharded.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/core_tasks.hpp"
#include "tasks/workers.hpp"

namespace mxk {

template <typename Regions> class Resharding {
    using Table = typename Regions::Table;
    using TheShard = Shard<Table>;

  public:
    // The first `owners` places own equal shares of the table from now on; returns when they do. The console's task;
    // blocks it, not its core. One at a time. Errors: not so many places; no memory, and then nothing has changed.
    static Result<void> run(Regions& table, std::size_t owners) {
        if (owners == 0 || owners > table.region_count())
            return Error::of("expected 1 to {} cores to own a table, got {}", table.region_count(), owners);
        Resharding change(table);
        MXK_TRY(change.prepare(owners));
        change.carry_out();
        return {};
    }

  private:
    // From a client to an old owner, behind its operations.
    struct Marker : Task {
        Marker(Resharding& its_change, std::size_t its_place)
            : Task(&Resharding::count_marker)
            , change(its_change)
            , place(its_place) {}
        Resharding& change;
        std::size_t place;
    };
    // A shard on its way; comes home when it has arrived.
    struct Moving : Task {
        Moving(Resharding& its_change, TheShard& its_shard, std::size_t new_place, CoreId console_core)
            : Task(&Resharding::arrive, console_core)
            , change(its_change)
            , shard(its_shard)
            , place(new_place) {}
        Resharding& change;
        TheShard& shard;
        std::size_t place;
    };
    // What happens on one place's core; alone on its lines.
    struct alignas(cache_line_bytes) Side : Task {
        Side(Resharding& its_change, std::size_t its_place)
            : Task(&Resharding::give_away)
            , change(its_change)
            , place(its_place) {}
        Resharding& change;
        std::size_t place;
        std::size_t gained = 0;
        std::size_t markers_awaited = 0;
        TaskList leaving; // Moving ones
        bool has_finished = false;
    };

    explicit Resharding(Regions& table)
        : table_(table) {}

    // All the memory that it takes.
    Result<void> prepare(std::size_t owners) {
        std::size_t const count = table_.shards_.size();
        std::size_t const places = table_.region_count();
        Worker& here = Worker::current();
        new_owner_of_ = MXK_TRY(NodeArray<std::uint32_t>::create(count, here.node()));
        sides_ = MXK_TRY(NodeVector<Side>::create(places, here.node()));
        moving_ = MXK_TRY(NodeVector<Moving>::create(count, here.node()));
        markers_ = MXK_TRY(NodeVector<Marker>::create(workers::count() * places, here.node()));
        auto all_cores = MXK_TRY(NodeVector<CoreId>::create(workers::count(), here.node()));
        auto place_cores = MXK_TRY(NodeVector<CoreId>::create(places, here.node()));
        for (std::size_t i = 0; i < workers::count(); ++i) all_cores.emplace(core_id(i));
        for (std::size_t i = 0; i < places; ++i) {
            place_cores.emplace(table_.core(i));
            sides_.emplace(*this, i);
        }
        on_all_cores_ = MXK_TRY(CoreTasks::create(all_cores.span()));
        at_places_ = MXK_TRY(CoreTasks::create(place_cores.span()));
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t const before = table_.owner_of_[i];
            new_owner_of_[i] = Regions::place_of(i, count, owners);
            if (new_owner_of_[i] == before) continue;
            table_.shards_[i].coming_owner.store(&table_.region(new_owner_of_[i]), std::memory_order_relaxed);
            sides_[before].leaving.append(moving_.emplace(*this, table_.shards_[i], new_owner_of_[i], here.core()));
            ++sides_[new_owner_of_[i]].gained;
        }
        for (Side& side : sides_) side.markers_awaited = side.leaving.empty() ? 0 : workers::count();
        for (std::size_t core = 0; core < workers::count(); ++core)
            for (std::size_t i = 0; i < places; ++i) markers_.emplace(*this, i);
        return {};
    }

    void carry_out() {
        // New owners first: then they park what comes early.
        at_places_.run([this](Worker&, std::size_t place) {
            if (sides_[place].gained != 0) table_.region(place).await(sides_[place].gained);
            return Step::Done;
        });
        on_all_cores_.run([this](Worker& worker, std::size_t core) {
            change_view(worker, core);
            return Step::Done;
        });
        Worker::current().run_until([this] { return arrived_ == moving_.size(); });
        at_places_.run([this](Worker&, std::size_t place) {
            return table_.region(place).is_complete() ? Step::Done : Step::Again;
        });
        table_.owner_of_ = std::move(new_owner_of_);
    }

    void change_view(Worker& worker, std::size_t core) {
        auto& view = table_.views_[core];
        for (OwnerChangeHook* hook = view.hooks; hook != nullptr; hook = hook->next) hook->before_change(*hook, worker);
        view.owner_of = new_owner_of_.data();
        for (std::size_t place = 0; place < sides_.size(); ++place)
            if (!sides_[place].leaving.empty())
                worker.append(markers_[core * sides_.size() + place], table_.core(place));
    }

    static void count_marker(Worker& worker, Task& task) {
        auto& marker = static_cast<Marker&>(task);
        Side& side = marker.change.sides_[marker.place];
        // Behind the steps that operations which came before may have put into the queue.
        if (--side.markers_awaited == 0) worker.append(side);
    }

    // One shard in each turn.
    static void give_away(Worker& worker, Task& task) {
        auto& side = static_cast<Side&>(task);
        Resharding& change = side.change;
        auto& owned = change.table_.region(side.place);
        if (!std::exchange(side.has_finished, true)) owned.finish_before_change(worker);
        auto& moving = static_cast<Moving&>(*side.leaving.take());
        owned.release(moving.shard);
        bool const was_last = side.leaving.empty();
        worker.append(moving, change.table_.core(moving.place));
        if (!was_last) worker.append(task);
    }

    static void arrive(Worker& worker, Task& task) {
        auto& moving = static_cast<Moving&>(task);
        moving.change.table_.region(moving.place).adopt(worker, moving.shard);
        task.body = [](Worker&, Task& at_home) { ++static_cast<Moving&>(at_home).change.arrived_; };
        worker.append(task, task.home);
    }

    Regions& table_;
    NodeArray<std::uint32_t> new_owner_of_;
    NodeVector<Side> sides_;     // by place
    NodeVector<Moving> moving_;  // one for each shard that changes its owner
    NodeVector<Marker> markers_; // from each core to each place; not all are needed
    CoreTasks on_all_cores_;
    CoreTasks at_places_;
    std::size_t arrived_ = 0; // the console's core counts
};

// See Resharding::run().
template <typename Regions> Result<void> reshard(Regions& table, std::size_t owners) {
    return Resharding<Regions>::run(table, owners);
}

} // namespace mxk
