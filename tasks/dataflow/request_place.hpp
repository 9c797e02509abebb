// Where the unbound tasks of an admitted request wait: two FIFOs under a lock of their own, one of them for tasks that
// come last, and a count that says without the lock whether they are empty. Places belong to the scheduler and are used
// again, never given back while it lives: a core that scans a work queue may look at the place of a request that has
// just ended, and finds another request there, or none, but always a place (Falt 2010, section 6.3.2, which does not
// say how requests are reclaimed).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/inject.hpp"
#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "tasks/dataflow/request.hpp"
#include "tasks/dataflow/reschedulable_task.hpp"
#include "tasks/queue/task_list.hpp"

namespace mxk::dataflow {

class alignas(cache_line_bytes) RequestPlace {
  public:
    // What a node has to do with the request.
    struct AtNode {
        bool is_holder = false; // its cores take tasks from here
        bool was_here = false;  // the request never comes back to where it was
    };

    // `nodes`: one for each node, for this place alone.
    explicit RequestPlace(std::span<AtNode> nodes)
        : nodes_(nodes) {}

    // For a request that begins on `node`. The place is in no queue.
    void open(Request& request, std::uint16_t node) {
        lock_.lock();
        request_ = &request;
        seen_at_.store(Cycles{}, std::memory_order_relaxed);
        home_.store(node, std::memory_order_relaxed);
        sources_.store(0, std::memory_order_relaxed);
        nodes_[node] = {.is_holder = true, .was_here = true};
        if (request.waited_at != Request::nowhere) nodes_[request.waited_at].was_here = true;
        count_holders();
        lock_.unlock();
    }
    // The request has no tasks any more. What it knew of nodes is forgotten.
    void close() {
        lock_.lock();
        request_ = nullptr;
        for (AtNode& node : nodes_) node = {};
        count_holders();
        lock_.unlock();
    }

    // Null while it is nobody's. For who knows that the request does not end meanwhile.
    [[nodiscard]] Request* request() const { return request_; }

    // Whether take() is worth its lock. acquire: pairs with the release in append()
    [[nodiscard]] bool may_have_tasks() const { return tasks() != 0; }
    // How many are queued; a moment's number.
    [[nodiscard]] std::uint32_t tasks() const { return count_.load(std::memory_order_acquire); }
    // Tasks are queued, and none has been taken for so long that nobody seems to come to them; 0: tasks are queued. Any
    // core that looks again and again; a moment's word.
    [[nodiscard]] bool is_left_alone(Cycles now, Cycles after) {
        bool const has_tasks = may_have_tasks();
        if (after == Cycles{}) return has_tasks;
        std::uint32_t const taken = taken_.load(std::memory_order_relaxed);
        Cycles const seen_at = seen_at_.load(std::memory_order_relaxed);
        if (!has_tasks || seen_at == Cycles{} || taken != seen_taken_.load(std::memory_order_relaxed)) {
            seen_taken_.store(taken, std::memory_order_relaxed);
            seen_at_.store(now, std::memory_order_relaxed);
            return false;
        }
        return seen_at < now && now - seen_at >= after;
    }
    // Whether only that node's cores take tasks from here; a moment's word, which append() may find wrong.
    [[nodiscard]] bool is_only_of(std::uint16_t node) const {
        return holders_.load(std::memory_order_acquire) == 1 && single_holder_.load(std::memory_order_relaxed) == node;
    }

    // Which node is to be responsible for the next task of the place's request: in turn among those that hold it.
    [[nodiscard]] std::uint16_t deal_node() {
        // One holder, which is nearly always so, needs no lock. If it changes meanwhile, append() finds out.
        if (holders_.load(std::memory_order_acquire) == 1) return single_holder_.load(std::memory_order_relaxed);
        lock_.lock();
        std::uint16_t const node = next_holder();
        lock_.unlock();
        return node;
    }
    // The task says which node is responsible. Gives which one is: another, if the request has gone there meanwhile;
    // the task is counted then, which the caller has to do. The task may be gone when this returns.
    [[nodiscard]] std::uint16_t append(ReschedulableTask& task) {
        inject::point();
        lock_.lock();
        if (!nodes_[task.responsible_node()].is_holder) [[unlikely]]
            task.set_responsible_node(next_holder(), true);
        std::uint16_t const responsible = task.responsible_node();
        (task.comes_last() ? last_tasks_ : tasks_).append(task);
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        lock_.unlock();
        return responsible;
    }

    // The oldest task, those that come last behind all others, for a core of `node`; null if there is none, or if the
    // request is not this node's any more.
    ReschedulableTask* take(std::uint16_t node) {
        lock_.lock();
        ReschedulableTask* task = nullptr;
        if (nodes_[node].is_holder) {
            task = static_cast<ReschedulableTask*>((tasks_.empty() ? last_tasks_ : tasks_).take());
            if (task != nullptr) {
                count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
                taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            }
        }
        lock_.unlock();
        return task;
    }

    // A node becomes a holder. False: it is one, or has been one.
    [[nodiscard]] bool add_holder(std::uint16_t node) {
        lock_.lock();
        bool const is_new = !nodes_[node].was_here;
        if (is_new) {
            nodes_[node] = {.is_holder = true, .was_here = true};
            count_holders();
        }
        lock_.unlock();
        return is_new;
    }
    struct Moved {
        bool was_possible = false;
        std::int32_t tasks = 0;   // that are queued: the new node is to count them
        std::int32_t counted = 0; // of these, those that the old node has counted
    };
    // The request goes from one node to another, which has not had it: the responsibility for what is queued goes with
    // it.
    Moved move(std::uint16_t from, std::uint16_t to) {
        lock_.lock();
        Moved moved;
        if (request_ != nullptr && nodes_[from].is_holder && !nodes_[to].was_here) {
            if (!is_guest_of(from)) home_.store(to, std::memory_order_relaxed);
            nodes_[from].is_holder = false;
            nodes_[to] = {.is_holder = true, .was_here = true};
            count_holders();
            moved.was_possible = true;
            move_tasks(tasks_, from, to, moved);
            move_tasks(last_tasks_, from, to, moved);
        }
        lock_.unlock();
        return moved;
    }
    [[nodiscard]] bool is_held_by(std::uint16_t node) {
        lock_.lock();
        bool const result = nodes_[node].is_holder;
        lock_.unlock();
        return result;
    }
    // Of a node that holds it: whether it has begun on another one, or went to another one since. A moment's word but
    // under the balancer's lock.
    [[nodiscard]] bool is_guest_of(std::uint16_t node) const { return home_.load(std::memory_order_relaxed) != node; }
    [[nodiscard]] bool was_at(std::uint16_t node) {
        lock_.lock();
        bool const result = nodes_[node].was_here;
        lock_.unlock();
        return result;
    }

    // Sources of the request that have not ended: so many more work, or wait for something outside of it. While all of
    // them wait, the request rests: it keeps no other one from beginning.
    void note_sources(std::int32_t working, std::int32_t waiting) {
        sources_.fetch_add(std::int64_t{waiting} * (std::int64_t{1} << 32) + working, std::memory_order_relaxed);
    }
    [[nodiscard]] bool rests() const {
        std::int64_t const sources = sources_.load(std::memory_order_relaxed);
        return sources != 0 && static_cast<std::int32_t>(sources) == 0;
    }

    // Which of the scheduler's cores leads: the others help it, and leave it the request when it gets on without them
    // (help_estimate.hpp). The first that served the request, or one that found that this does nothing; a guess.
    static constexpr std::uint32_t no_core = UINT32_MAX;
    [[nodiscard]] std::uint32_t leader() const { return leader_.load(std::memory_order_relaxed); }
    void set_leader(std::uint32_t core) { leader_.store(core, std::memory_order_relaxed); }

    RequestPlace* next_free = nullptr; // the scheduler's, while nobody's

  private:
    static void move_tasks(TaskList const& tasks, std::uint16_t from, std::uint16_t to, Moved& moved) {
        for (Task* task = tasks.first(); task != nullptr; task = task->next) {
            auto& queued = static_cast<ReschedulableTask&>(*task);
            if (queued.responsible_node() != from) continue;
            ++moved.tasks;
            moved.counted += queued.is_counted() ? 1 : 0;
            queued.set_responsible_node(to, true);
        }
    }
    std::uint16_t next_holder() {
        for (std::size_t step = 1; step <= nodes_.size(); ++step) {
            std::size_t const node = (last_dealt_ + step) % nodes_.size();
            if (!nodes_[node].is_holder) continue;
            last_dealt_ = static_cast<std::uint16_t>(node);
            return last_dealt_;
        }
        return last_dealt_;
    }
    void count_holders() {
        std::uint32_t holders = 0;
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            if (!nodes_[node].is_holder) continue;
            single_holder_.store(static_cast<std::uint16_t>(node), std::memory_order_relaxed);
            ++holders;
        }
        holders_.store(holders, std::memory_order_release);
    }

    SpinLock lock_{lock_bands::waking.rank(6)}; // all below but the atomics
    std::atomic<std::uint32_t> count_{0};
    std::atomic<std::uint32_t> taken_{0};      // so far
    std::atomic<std::uint32_t> seen_taken_{0}; // of these, at the last look that found that some were
    std::atomic<Cycles> seen_at_{};            // and when that was; 0: not yet, of this request
    std::atomic<std::uint32_t> holders_{0};
    std::atomic<std::uint16_t> single_holder_{0};
    std::atomic<std::uint16_t> home_{0};
    std::atomic<std::uint32_t> leader_{no_core};
    std::atomic<std::int64_t> sources_{0}; // that wait: 32 bits | that work: 32 bits
    std::uint16_t last_dealt_ = 0;
    TaskList tasks_;
    TaskList last_tasks_;
    Request* request_ = nullptr;
    std::span<AtNode> nodes_;
};

} // namespace mxk::dataflow
