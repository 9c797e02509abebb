// The resizing of a shared table as tasks: on each core one, that moves a slice of buckets, some microseconds of work,
// and goes to the end of its core's queue as long as there is another. So all cores move, each first what lies on its
// node, and the tasks of a core that are not about the resize go on in between.
//
//     ResizeTasks tasks;
//     MXK_TRY(tasks.serve(table, owners));      from now on
//     ...
//     tasks.end();                              before the table goes
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/line_growth.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/task.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"

namespace mxk {

class ResizeTasks : ResizeListener {
  public:
    ResizeTasks()
        : ResizeListener{&ResizeTasks::begin} {}
    ResizeTasks(ResizeTasks const&) = delete;
    ResizeTasks& operator=(ResizeTasks const&) = delete;
    // After end().
    ~ResizeTasks() = default;

    // Moves this table on these cores, until end(). Errors: no memory. While nobody uses the table.
    template <typename Table> Result<void> serve(Table& table, std::span<Owner const> cores) {
        table_ = &table;
        work_ = [](void* it) { return static_cast<Table*>(it)->work(); };
        tell_ = [](void* it, ResizeListener* listener) { static_cast<Table*>(it)->tell(listener); };
        tasks_ = MXK_TRY(PerCore<Part>::with_room(cores.size(), cores.front().node));
        for (Owner const& owner : cores) {
            auto const added = tasks_.add(owner.node, *this, owner.core);
            if (!added) return added.error();
        }
        table.tell(this);
        return {};
    }

    // The console's task, while nobody uses the table: its core runs tasks until none is under way here.
    void end() {
        if (table_ == nullptr) return;
        tell_(table_, nullptr);
        // The last one may end on another core, which tells nobody.
        wait_until([this] {
            for (Part const& task : tasks_)
                if (task.told.load(std::memory_order_acquire) != 0) return false;
            return true;
        });
        table_ = nullptr;
    }

  private:
    struct Part : Task {
        Part(ResizeTasks& its_all, CoreId core)
            : Task(&Part::move, core)
            , all(its_all) {}
        Part(Part&& other) noexcept // before it is queued
            : Part(other.all, other.home) {}
        Part& operator=(Part&&) = delete;

        static void move(Worker& worker, Task& task) {
            auto& self = static_cast<Part&>(task);
            // acquire: pairs with begin(): it has the resizes that it was told of before.
            std::uint32_t told = self.told.load(std::memory_order_acquire);
            if (self.all.work_(self.all.table_)) return worker.append(task);
            // Nothing is left of those. release: end() may take the task away then.
            if (self.told.compare_exchange_strong(told, 0, std::memory_order_release, std::memory_order_relaxed))
                return;
            worker.append(task);
        }

        ResizeTasks& all;
        std::atomic<std::uint32_t> told{0}; // so often since it was put into its core's queue; 0: it is in none
    };

    static void begin(ResizeListener& listener) {
        for (Part& task : static_cast<ResizeTasks&>(listener).tasks_)
            if (task.told.fetch_add(1, std::memory_order_acq_rel) == 0)
                workers::of(task.home).append_from_outside(task);
    }

    void* table_ = nullptr;
    bool (*work_)(void* table) = nullptr;
    void (*tell_)(void* table, ResizeListener* listener) = nullptr;
    PerCore<Part> tasks_;
};

// Returns when no resize of the table is under way; the calling core moves, too. Errors: no memory for a further line
// of a bucket; then the table is all right, and the resize goes on with later inserts or the next call. The console's
// task.
template <typename Table> Result<void> finish_resize(Table& table) {
    bool lacks_memory = false;
    wait_until([&] { // the last slices may be other cores'
        while (table.work()) {
        }
        lacks_memory = table.try_again();
        return lacks_memory || !table.is_resizing();
    });
    if (lacks_memory) return Error("out of memory: a bucket needs a further line, in the middle of a resize");
    return {};
}

// The table's reserve(), for the console's task: while others move the last slices, its core's tasks and threads run.
// Errors: no memory.
template <typename Table> Result<void> reserve(Table& table, std::size_t keys) {
    if (table.reserve(keys, [](auto is_done) { wait_until(is_done); })) return {};
    return Error::of("out of memory: room for {} keys", keys);
}

} // namespace mxk
