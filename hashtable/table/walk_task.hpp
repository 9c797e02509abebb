// A ChainWalk as a task: it asks the memory for what the walk touches next and goes to the end of its core's queue
// until its turn comes, so that all such tasks of a core wait for memory at the same time. A parked walk's task stands
// in no queue; the one that leaves the bucket appends it.
//
//     struct Finder : WalkTask<Finder, Table> {
//         Table& table(Worker&) { return table_; }
//         template <Operation> void ended(Worker& worker, Table::Node* node) { ... }
//         Table& table_;
//     };
//     finder.seek(key);
//     finder.go<Operation::Find>(worker, owner, Annotation::table_line(table.address(key)));
//
// One cache line: the task's 28 bytes, 4 that only the base may use, the walk's 24, and 8 for the derived task.
#pragma once

#include <concepts>

#include "hashtable/layout/chain_walk.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// Derived: the task itself, which has `table(worker)`, the table that the worker's core owns, and
// `ended<operation>(worker, node)`, called on that core when all is done, with the node of ChainWalk::Finished; the
// task then is its own to append or to give back. All tasks that walk in one table must be of one type. Base: a Task
// with up to 4 bytes more, which would be lost to alignment otherwise.
template <typename Derived, typename Table, std::derived_from<Task> Base = Task>
class WalkTask : public Base, public ChainWalk<Table> {
  public:
    // After seek(): sends the task to the core that owns the table. `bucket`: where the key's is. Operations happen in
    // the order in which their tasks arrive. Any core, if it has the task.
    template <Operation operation> void go(Worker& worker, CoreId owner, Annotation bucket) {
        this->body = &WalkTask::enter_bucket<operation>;
        if (owner == worker.core()) return await(worker, bucket);
        this->touches = bucket; // asked for over there: prefetches go to the cache of the core that makes them
        worker.append(*this, owner);
    }

  private:
    friend Derived; // nobody else makes one
    explicit WalkTask(Task::Body first_body, CoreId home_core = {})
        : Base(first_body, home_core) {}

    static WalkTask& walk_of(Task& task) { return static_cast<WalkTask&>(static_cast<Base&>(task)); }
    Derived& derived() { return static_cast<Derived&>(*this); }

    template <Operation operation> static void enter_bucket(Worker& worker, Task& task) {
        WalkTask& self = walk_of(task);
        self.touches = {};
        if (!self.template enter<operation>(self.derived().table(worker))) [[unlikely]] {
            self.body = &WalkTask::go_on_from_parking<operation>;
            return;
        }
        self.template begin<operation>(worker);
    }

    template <Operation operation> static void go_on_from_parking(Worker& worker, Task& task) {
        WalkTask& self = walk_of(task);
        self.template resume<operation>();
        self.template begin<operation>(worker);
    }

    template <Operation operation> void begin(Worker& worker) {
        if (this->is_at_end()) return leave_bucket<operation>(worker);
        this->body = &WalkTask::look_at_node<operation>;
        await(worker, Annotation::table_line(this->next_node()));
    }

    template <Operation operation> static void look_at_node(Worker& worker, Task& task) {
        WalkTask& self = walk_of(task);
        if (self.step()) return self.template leave_bucket<operation>(worker);
        self.await(worker, Annotation::table_line(self.next_node()));
    }

    template <Operation operation> void leave_bucket(Worker& worker) {
        auto const [node, successor] = this->template finish<operation>(derived().table(worker));
        if (successor != nullptr) [[unlikely]] {
            auto& next_task = static_cast<WalkTask&>(*successor);
            next_task.await(worker, Annotation::table_line(next_task.first_node()));
        }
        derived().template ended<operation>(worker, node);
    }

    // Asks at once, and not by `touches`, at the worker's distance: as many steps as that take less time than a miss.
    // To do both would cost a tenth of the throughput.
    void await(Worker& worker, Annotation what) {
        if (worker.prefetch_distance() != 0) what.prefetch();
        worker.append(*this);
    }
};

} // namespace mxk
