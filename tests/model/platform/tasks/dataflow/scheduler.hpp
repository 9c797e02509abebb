// tasks/dataflow/scheduler.hpp for the model checker: the nodes and cores that a use has made, and how a request begins
// and ends, as scheduler.cpp has it. The harness balances.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/locked_stack.hpp"
#include "base/spin_lock.hpp"
#include "tasks/dataflow/core_scheduler.hpp"
#include "tasks/dataflow/disciplines/request_core.hpp"
#include "tasks/dataflow/node_scheduler.hpp"

namespace mxk::dataflow {

enum class Discipline : std::uint8_t { Requests, TwoFifos, OneFifo, OneLifo };

struct SchedulerOptions {
    Discipline discipline = Discipline::Requests;
    SleepRule sleep_rule = SleepRule::Strict;
    bool scans_under_lock = false;
    bool reruns_bound = false;
    bool steals_first = false;
    Nanoseconds patience{0};
};

struct Balancer {
    void look() {}
    void share_with_idle() {} // uses share at any time
    SpinLock lock{lock_bands::objects.rank(2)};
};

class Scheduler {
  public:
    explicit Scheduler(SchedulerOptions const& options)
        : options_(options) {}

    [[nodiscard]] SchedulerOptions const& options() const { return options_; }
    [[nodiscard]] CoreScheduler& of(CoreId core) const { return *cores.at(index(core)); }
    // Threads behind the last core are none.
    [[nodiscard]] CoreScheduler* here() const { return cores.at(test::model_self() - 1); }
    [[nodiscard]] CoreScheduler& at(std::size_t place) const { return *cores.at(place); }
    [[nodiscard]] std::span<NodeScheduler> nodes() const { return all_nodes; }
    [[nodiscard]] NodeScheduler& node(std::uint16_t place) const { return all_nodes[place]; }
    [[nodiscard]] Balancer& balancer() { return balancer_; }
    void note_begun() {}

    RequestPlace* open_place(Request& request, std::uint16_t node) {
        RequestPlace* const place = free_places.take();
        if (place == nullptr) return nullptr;
        request.set_home(all_nodes[node].node());
        place->open(request, node);
        request.set_place(place);
        return place;
    }
    void end(Request& request, CoreScheduler& here) {
        if (RequestPlace* const place = request.place(); place != nullptr) {
            balancer_.lock.lock();
            NodeScheduler::forget(all_nodes, *place);
            balancer_.lock.unlock();
            free_places.give(*place);
        }
        request.finish(here);
    }

    // The harness's.
    std::span<NodeScheduler> all_nodes;
    std::array<CoreScheduler*, 4> cores{};
    LockedStack<RequestPlace, &RequestPlace::next_free> free_places{lock_bands::waking.rank(7)};

  private:
    SchedulerOptions options_;
    Balancer balancer_;
};

} // namespace mxk::dataflow
