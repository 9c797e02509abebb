// What the cores of one node share: the requests that wait and those that are served, and who is awake (Falt 2010,
// section 6.1: the node manager).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "tasks/dataflow/activity.hpp"
#include "tasks/dataflow/request.hpp"
#include "tasks/dataflow/request_queue.hpp"
#include "tasks/dataflow/sleepers.hpp"
#include "tasks/queue/task_list.hpp"

namespace mxk::dataflow {

class alignas(cache_line_bytes) NodeScheduler {
  public:
    // `place`: which of its scheduler's nodes.
    NodeScheduler(std::uint16_t place, NodeId node, Sleepers its_sleepers, RequestQueue work)
        : place_(place)
        , node_(node)
        , activity(static_cast<unsigned>(its_sleepers.size()))
        , sleepers(std::move(its_sleepers))
        , work_(std::move(work)) {}
    NodeScheduler(NodeScheduler const&) = delete;
    NodeScheduler& operator=(NodeScheduler const&) = delete;

    [[nodiscard]] std::uint16_t place() const { return place_; }
    [[nodiscard]] NodeId node() const { return node_; }
    // Any core; moment's numbers.
    [[nodiscard]] std::uint32_t waiting() const { return waiting_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t active() const { return active_.load(std::memory_order_relaxed); }
    // Of these, those that have begun on another node, and are served here, too.
    [[nodiscard]] std::uint32_t guests() const { return guests_.load(std::memory_order_relaxed); }
    // One that waits begins before guests are served, if there are no others.
    [[nodiscard]] bool is_own_request_due() const { return waiting() != 0 && guests() != 0 && active() == guests(); }
    // Whether another request may begin: fewer are served, but for guests and those that rest, than there are cores.
    [[nodiscard]] bool has_room() const {
        std::uint32_t const own = active() - guests();
        return own < activity.cores() || own - work_.resting(place_) < activity.cores();
    }
    [[nodiscard]] std::uint32_t max_active() const { return max_active_.load(std::memory_order_relaxed); }

    // Any core: counts tasks, queues them by `queue()`, and wakes a core if none looks for work.
    template <typename Queue> void add_tasks(std::int32_t count, Queue queue) {
        bool const owes_wake = activity.add(count);
        inject::point();
        queue();
        if (owes_wake) sleepers.wake_one();
    }
    void pay(bool owes_wake) {
        if (owes_wake) [[unlikely]]
            sleepers.wake_one();
    }

    // Behind the others that wait; it has not begun. Any core, within add_tasks().
    void append(Request& request);
    // The youngest that waits; null if none does. Any core.
    Request* take_youngest();
    // Serves the oldest request that waits, if has_room().
    // `open_place`: gives a place for it, or null. Null: none begins. A core of the node.
    template <typename OpenPlace> Request* admit(OpenPlace open_place);
    // Of those that are served; null if none is. Any core, while no request can end (Scheduler).
    RequestPlace* youngest();

    // Of requests that have begun: they are served, and never wait, on all nodes that hold them. So only a request that
    // has not begun is in a queue by its link, and in one. While no request can end; no two of these at the same time.

    // From one node to another, which serves it at once. `between`: is called where other cores may do something before
    // the next step. False: it is not here, or was there already.
    template <typename Between>
    static bool move(Request& request, NodeScheduler& from, NodeScheduler& to, Between between);
    // One more node serves it. False: it was there already.
    static bool share(Request& request, NodeScheduler& to);
    // It has ended: no node serves it any more.
    static void forget(std::span<NodeScheduler> nodes, RequestPlace& place);

    ReschedulableTask* take_unbound() { return work_.take(place_); }
    // The same under the lock, for comparison; or only of one request that is served here.
    ReschedulableTask* take_unbound_locked() {
        lock_.lock();
        ReschedulableTask* const task = work_.take_locked(place_);
        lock_.unlock();
        return task;
    }
    ReschedulableTask* take_locked(RequestPlace& own) {
        lock_.lock();
        ReschedulableTask* const task = own.take(place_);
        lock_.unlock();
        return task;
    }
    RequestPlace* left_alone(RequestPlace const* own, Cycles now, Cycles after) {
        return work_.left_alone(place_, own, now, after);
    }
    // Unbound tasks of requests, counted and others: whether there are, of requests that stay; a moment's number.
    [[nodiscard]] bool has_unbound_tasks() const { return work_.has_tasks(); }
    [[nodiscard]] std::size_t unbound_tasks() const { return work_.tasks(); }

    // A list of the disciplines without queues of requests. Any core, for a moment.
    class SharedList {
      public:
        void append(ReschedulableTask& task) {
            add([&] { tasks_.append(task); });
        }
        void prepend(ReschedulableTask& task) {
            add([&] { tasks_.prepend(task); });
        }
        // Null if it is empty, which takes no lock.
        ReschedulableTask* take() {
            if (count_.load(std::memory_order_acquire) == 0) return nullptr;
            lock_.lock();
            auto* const task = static_cast<ReschedulableTask*>(tasks_.take());
            if (task != nullptr) count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
            lock_.unlock();
            return task;
        }

      private:
        template <typename Add> void add(Add add_to_list) {
            lock_.lock();
            add_to_list();
            count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
            lock_.unlock();
        }

        SpinLock lock_{lock_bands::waking.rank(6)};
        std::atomic<std::uint32_t> count_{0};
        TaskList tasks_;
    };
    SharedList unbound;
    SharedList beginnings; // two FIFOs only

    // For the balancer, under its lock.
    unsigned times_hot = 0;
    unsigned times_cold = 0;
    bool has_got_one = false; // in this look

  private:
    void note_active() {
        auto const now = static_cast<std::uint32_t>(work_.size());
        active_.store(now, std::memory_order_relaxed);
        if (now > max_active_.load(std::memory_order_relaxed)) max_active_.store(now, std::memory_order_relaxed);
    }
    void serve(RequestPlace& place, bool is_guest);
    void remove(RequestPlace const& place, bool is_guest);

    std::uint16_t place_;
    NodeId node_;
    SpinLock lock_{lock_bands::waking.rank(5)}; // of the queues, but for scans
    Request* oldest_waiting_ = nullptr;
    Request* youngest_waiting_ = nullptr;
    std::atomic<std::uint32_t> waiting_{0};
    std::atomic<std::uint32_t> active_{0};
    std::atomic<std::uint32_t> guests_{0};
    std::atomic<std::uint32_t> max_active_{0};

  public:
    Activity activity;
    Sleepers sleepers;

  private:
    RequestQueue work_;
};

template <typename OpenPlace> Request* NodeScheduler::admit(OpenPlace open_place) {
    if (waiting() == 0) return nullptr;
    lock_.lock();
    Request* const request = oldest_waiting_;
    RequestPlace* const place = request != nullptr && has_room() ? open_place(*request) : nullptr;
    if (place != nullptr) {
        oldest_waiting_ = request->next_waiting;
        if (oldest_waiting_ == nullptr) youngest_waiting_ = nullptr;
        waiting_.store(waiting() - 1, std::memory_order_relaxed);
        work_.add(*place);
        note_active();
    }
    lock_.unlock();
    return place != nullptr ? request : nullptr;
}

template <typename Between>
bool NodeScheduler::move(Request& request, NodeScheduler& from, NodeScheduler& to, Between between) {
    RequestPlace& place = *request.place();
    bool const is_guest = place.is_guest_of(from.place());
    RequestPlace::Moved const moved = place.move(from.place(), to.place());
    if (!moved.was_possible) return false;
    between();
    if (!is_guest) request.set_home(to.node());
    from.remove(place, is_guest);
    between();
    to.add_tasks(moved.tasks, [&] { to.serve(place, is_guest); });
    between();
    from.activity.remove(moved.counted);
    return true;
}

} // namespace mxk::dataflow
