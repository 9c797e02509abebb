// Moves requests from nodes that have too much to nodes that have nothing to do (Falt 2010, section 6.3.2). It is no
// task and has no timer: a core that works looks at the time between two turns, and looks at the nodes if the interval
// is over and a core sleeps. So it costs nothing where all work, and does not exist where all sleep.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::dataflow {

class NodeScheduler;
class Request;
class RequestPlace;
class Scheduler;

class Balancer {
  public:
    // A node is hot, or cold, once it has been so that many times in a row.
    static constexpr unsigned times = 4;
    static constexpr double hot_above = 0.90;
    static constexpr double cold_below = 0.50;

    explicit Balancer(Scheduler& scheduler)
        : scheduler_(scheduler) {}

    // A core, between two turns.
    void look();
    // The same at once, whatever the time, for tests.
    void look_now();

    // Nodes that have no request serve the only one of another node, if the options say so. A core that has begun a
    // request.
    void share_with_idle();

    // Its last task has ended: no node serves it any more. Any core.
    void forget(RequestPlace& place);

    // A request goes to another node at once, whatever the nodes' loads. Any core, in a task of the request, which thus
    // does not end meanwhile. False: it has been there, or the discipline keeps no places of requests.
    bool move_now(Request& request, NodeScheduler& to);
    // The same for one more node that serves it. False: as above.
    bool share_now(Request& request, NodeScheduler& to);

    struct Counts {
        OwnerCounter looks;
        OwnerCounter moves;
        OwnerCounter shares;
    };
    [[nodiscard]] Counts const& counts() const { return counts_; }

  private:
    [[nodiscard]] bool does_any_sleep() const;
    [[nodiscard]] bool is_any_idle_beside_one() const;
    void share_with_idle_locked();
    void note_heat(NodeScheduler& node);
    void relieve(NodeScheduler& hot);
    // `place`: of a request that has begun; null: it waits.
    NodeScheduler* nearest_cold(NodeScheduler const& hot, RequestPlace* place);
    void move_waiting(Request& request, NodeScheduler& from, NodeScheduler& to);
    bool move_begun(Request& request, NodeScheduler& from, NodeScheduler& to);
    bool share(Request& request, NodeScheduler& to);

    Scheduler& scheduler_;
    SpinLock lock_{lock_bands::objects.rank(2)}; // all below but the time
    std::atomic<std::uint64_t> next_look_{0};
    Counts counts_;
};

} // namespace mxk::dataflow
