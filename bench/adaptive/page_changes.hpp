// How a core changes the pages of its space, in a coroutine: itself, under the database's locks; or, where objects have
// owners, by tasks that go to these and come home. Each owner does in its own tasks what the others ask for.
//
//     bool const all_done = co_await changes.all(PageChange::Map);
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/adaptive/mapped_space.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/coroutine_task.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// Of one core. Does not move once a change is under way, which one at a time is.
class alignas(cache_line_bytes) PageChanges {
    // To the owner of some neighbouring pages.
    struct Call : Task {
        Call(CoreId its_home, MappedSpace& its_space, mapping::MappingDatabase& its_database, std::size_t page)
            : Task(nullptr, its_home)
            , space(&its_space)
            , database(&its_database)
            , first(static_cast<std::uint32_t>(page)) {}
        [[nodiscard]] CoreId owner() const { return space->owner(first); }

        PageChanges* changes = nullptr; // of home only
        MappedSpace* space;
        mapping::MappingDatabase* database;
        std::uint32_t first;
        std::uint16_t count = 1;
        PageChange wanted{};
        bool is_done = true;
    };
    static_assert(sizeof(Call) == cache_line_bytes);

    // In the awaiting coroutine's frame. Gives whether all was done.
    struct Await {
        [[nodiscard]] bool await_ready() const { return changes->change_here(wanted); }
        template <std::derived_from<CoroutineTask> Promise> void await_suspend(std::coroutine_handle<Promise> waiter) {
            changes->send(wanted, waiter.promise());
        }
        [[nodiscard]] bool await_resume() const { return changes->is_done_; }
        PageChanges* changes;
        PageChange wanted;
    };

  public:
    // Of `home`, on its node. `max_pages`: in a call, which are neighbours of one owner. Errors: no memory. The
    // console's task.
    static Result<PageChanges> create(CoreId home, NodeId node, MappedSpace& space, mapping::MappingDatabase& database,
                                      std::size_t max_pages);

    // Of all pages of the space. What is unmapped is settled where there are no owners.
    Await all(PageChange change) { return {this, change}; }

    [[nodiscard]] bool has_owners() const { return database_->locking().kind() == mapping::LockingKind::Owner; }
    // Tasks that went to owners. Its core.
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

  private:
    PageChanges(MappedSpace& space, mapping::MappingDatabase& database)
        : space_(&space)
        , database_(&database) {}

    // False: it is the owners' to do.
    bool change_here(PageChange change) {
        is_done_ = true;
        if (has_owners()) return false;
        is_done_ = space_->change_all(*database_, change);
        return true;
    }
    void send(PageChange change, Task& waiter);
    static void at_owner(Worker& there, Task& task);
    static void complete(Worker& home, Task& task);

    MappedSpace* space_;
    mapping::MappingDatabase* database_;
    NodeVector<Call> calls_;
    NodeVector<Call> settling_; // one for each owner
    Task* waiter_ = nullptr;    // the coroutine
    std::size_t left_ = 0;      // calls that have not come home
    std::uint64_t sent_ = 0;
    bool is_done_ = true;
};

} // namespace mxk::bench
