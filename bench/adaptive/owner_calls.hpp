// What a core wants of the owners of memory objects: tasks that go to these and come home, where a coroutine waits for
// them. Each owner does in its own tasks what the others ask for, without a lock (owner_locking.hpp).
//
//     bool const all_done = co_await calls.unmap();
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/adaptive/mapped_space.hpp"
#include "kernel/memory/node_vector.hpp"
#include "spaces/owner_locking.hpp"
#include "tasks/coroutine_task.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

using OwnerSpace = MappedSpace<mapping::OwnerLocking>;
using OwnerDatabase = OwnerSpace::Database;

// Of one core, for its space. Does not move once a call is under way, which one at a time is.
class alignas(cache_line_bytes) OwnerCalls {
    // To the owner of some neighbouring pages; its body says what for.
    struct Call : Task {
        Call(CoreId its_home, OwnerSpace& its_space, OwnerDatabase& its_database, std::size_t page)
            : Task(nullptr, its_home)
            , space(&its_space)
            , database(&its_database)
            , first(static_cast<std::uint32_t>(page)) {}
        [[nodiscard]] CoreId owner() const { return space->owner(first); }

        OwnerCalls* calls = nullptr; // of home only
        OwnerSpace* space;
        OwnerDatabase* database;
        std::uint32_t first;
        std::uint32_t count = 1;
    };
    static_assert(sizeof(Call) == cache_line_bytes);

    // In the awaiting coroutine's frame. Gives whether all was done.
    class Await {
      public:
        Await(OwnerCalls& calls, std::span<Call> sent, Task::Body body)
            : calls_(calls)
            , sent_(sent)
            , body_(body) {}
        static bool await_ready() { return false; }
        template <std::derived_from<CoroutineTask> Promise> void await_suspend(std::coroutine_handle<Promise> waiter) {
            calls_.send(sent_, body_, waiter.promise());
        }
        [[nodiscard]] bool await_resume() const { return !calls_.is_refused_; }

      private:
        OwnerCalls& calls_;
        std::span<Call> sent_;
        Task::Body body_;
    };

  public:
    // Of `home`, on its node: up to `max_pages` in a call, which are neighbours of one owner. Errors: no memory. The
    // console's task.
    static Result<OwnerCalls> create(CoreId home, NodeId node, OwnerSpace& space, OwnerDatabase& database,
                                     std::size_t max_pages) {
        OwnerCalls made;
        made.calls_ = MXK_TRY(NodeVector<Call>::create(space.pages(), node));
        made.settling_ = MXK_TRY(NodeVector<Call>::create(space.pages(), node));
        for (std::size_t page = 0; page < space.pages(); ++page) {
            Call* const last = made.calls_.size() != 0 ? &made.calls_[made.calls_.size() - 1] : nullptr;
            if (last != nullptr && last->count < max_pages && last->owner() == space.owner(page))
                ++last->count;
            else
                made.calls_.emplace(home, space, database, page);
            bool is_new = true;
            for (Call const& other : made.settling_) is_new = is_new && other.owner() != space.owner(page);
            if (is_new) made.settling_.emplace(home, space, database, page);
        }
        return made;
    }

    // All pages of the space.
    Await map() {
        return to_owners<[](OwnerSpace& space, OwnerDatabase& database, std::size_t page) {
            return space.map(database, page).ok();
        }>(calls_);
    }
    Await unmap() {
        return to_owners<[](OwnerSpace& space, OwnerDatabase& database, std::size_t page) {
            return space.unmap(database, page);
        }>(calls_);
    }
    // The right to write.
    Await withdraw() { return to_owners<&protect<mapping::Rights::Read>>(calls_); }
    Await give() { return to_owners<&protect<mapping::Rights::ReadWrite>>(calls_); }
    // What was withdrawn from the objects of each owner is authoritative.
    Await settle() { return to_owners<&settled>(settling_); }
    Await withdraw_and_settle() {
        return to_owners<[](OwnerSpace& space, OwnerDatabase& database, std::size_t page) {
            return protect<mapping::Rights::Read>(space, database, page) && settled(space, database, page);
        }>(calls_);
    }

    // Tasks that went to owners. Its core.
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

  private:
    OwnerCalls() = default;

    template <mapping::Rights rights>
    static bool protect(OwnerSpace& space, OwnerDatabase& database, std::size_t page) {
        return space.protect(database, page, rights);
    }
    static bool settled(OwnerSpace& space, OwnerDatabase& database, std::size_t page) {
        space.settle(database, page);
        return true;
    }

    template <auto operation> Await to_owners(NodeVector<Call>& calls) {
        return Await(*this, calls.span(), &at_owner<operation>);
    }
    void send(std::span<Call> calls, Task::Body body, Task& waiter) {
        Worker& here = Worker::current();
        waiter_ = &waiter;
        is_refused_ = false;
        left_ = calls.size();
        sent_ += calls.size();
        bool is_for_others = false;
        for (Call& call : calls) {
            CoreId const owner = call.owner();
            call.calls = this;
            call.body = body;
            is_for_others = is_for_others || owner != here.core();
            here.append(call, owner);
        }
        if (is_for_others) here.flush();
    }
    template <auto operation> static void at_owner(Worker& there, Task& task) {
        auto& call = static_cast<Call&>(task);
        bool is_done = true;
        for (std::size_t i = 0; i < call.count; ++i)
            is_done = operation(*call.space, *call.database, call.first + i) && is_done;
        call.body = is_done ? &come_home : &come_home_refused;
        if (there.core() == call.home) return call.body(there, call);
        there.append(call, call.home);
    }
    static void come_home(Worker& home, Task& task) {
        OwnerCalls& calls = *static_cast<Call&>(task).calls;
        if (--calls.left_ == 0) calls.waiter_->body(home, *calls.waiter_);
    }
    static void come_home_refused(Worker& home, Task& task) {
        static_cast<Call&>(task).calls->is_refused_ = true;
        come_home(home, task);
    }

    NodeVector<Call> calls_;
    NodeVector<Call> settling_; // one for each owner
    Task* waiter_ = nullptr;    // the coroutine
    std::size_t left_ = 0;      // calls that have not come home
    std::uint64_t sent_ = 0;
    bool is_refused_ = false;
};

} // namespace mxk::bench
