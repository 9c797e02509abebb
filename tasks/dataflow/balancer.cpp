#include "tasks/dataflow/balancer.hpp"

#include <algorithm>

#include "base/fence.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {

void Balancer::look() {
    std::uint64_t const now = raw(clock::timestamp());
    std::uint64_t next = next_look_.load(std::memory_order_relaxed);
    if (now < next || !scheduler_.options().balances) [[likely]]
        return;
    std::uint64_t const after = now + raw(clock::to_cycles(scheduler_.options().balance_every));
    if (!next_look_.compare_exchange_strong(next, after, std::memory_order_relaxed)) return; // another core looks
    if (next == 0 || !does_any_sleep()) return; // the first interval begins
    look_now();
}

bool Balancer::does_any_sleep() const {
    for (NodeScheduler const& node : scheduler_.nodes())
        if (node.activity.counts().awake < node.activity.cores()) return true;
    return false;
}

void Balancer::look_now() {
    lock_.lock();
    counts_.looks.add(1);
    for (NodeScheduler& node : scheduler_.nodes()) note_heat(node);
    for (NodeScheduler& node : scheduler_.nodes())
        if (node.times_hot >= times) relieve(node);
    share_with_idle_locked();
    lock_.unlock();
}

namespace {

bool is_idle(NodeScheduler const& node) {
    return node.active() == 0 && node.waiting() == 0;
}

} // namespace

// Of a request that begins and one that ends at the same time, one sees the other.
bool Balancer::is_any_idle_beside_one() const {
    if (!scheduler_.options().balances || !scheduler_.options().shares_at_once) return false;
    store_load_fence();
    auto const nodes = scheduler_.nodes();
    return std::ranges::any_of(nodes, &is_idle) &&
           std::ranges::any_of(nodes, [](NodeScheduler const& node) { return node.active() == 1; });
}

void Balancer::share_with_idle() {
    if (!is_any_idle_beside_one()) return;
    lock_.lock();
    share_with_idle_locked();
    lock_.unlock();
}

void Balancer::share_with_idle_locked() {
    if (!is_any_idle_beside_one()) return;
    for (NodeScheduler& from : scheduler_.nodes()) {
        RequestPlace* const place = from.active() == 1 ? from.youngest() : nullptr;
        if (place == nullptr) continue;
        for (NodeScheduler& to : scheduler_.nodes())
            if (is_idle(to)) share(*place->request(), to);
    }
}

// Under the lock, where there is anything to balance: a request that ends while it is moved would be missed.
void Balancer::forget(RequestPlace& place) {
    bool const has_others = scheduler_.nodes().size() > 1;
    if (has_others) lock_.lock();
    NodeScheduler::forget(scheduler_.nodes(), place);
    if (!has_others) return;
    share_with_idle_locked();
    lock_.unlock();
}

void Balancer::note_heat(NodeScheduler& node) {
    memory::NodeUse const use = memory::use(node.node());
    double const memory = use.total != 0 ? static_cast<double>(use.used) / static_cast<double>(use.total) : 0;
    double const cores = static_cast<double>(node.activity.counts().awake) / node.activity.cores();
    bool const waits = node.waiting() != 0;
    bool const is_hot = cores > hot_above || memory > hot_above || waits;
    bool const is_cold = !waits && cores < cold_below && memory < cold_below;
    node.times_hot = is_hot ? node.times_hot + 1 : 0;
    node.times_cold = is_cold ? node.times_cold + 1 : 0;
    node.has_got_one = false;
}

// By how expensive it is for the cold node's cores to reach the memory that the request leaves behind.
NodeScheduler* Balancer::nearest_cold(NodeScheduler const& hot, RequestPlace* place) {
    NodeScheduler* nearest = nullptr;
    for (NodeScheduler& node : scheduler_.nodes()) {
        if (node.times_cold < times || node.has_got_one) continue;
        if (place != nullptr && place->was_at(node.place())) continue;
        if (nearest == nullptr || scheduler_.distance(node, hot) < scheduler_.distance(*nearest, hot)) nearest = &node;
    }
    return nearest;
}

// The request that has got less far than all others goes: one that waits, else the youngest that is served. A node's
// only request is shared.
void Balancer::relieve(NodeScheduler& hot) {
    if (Request* const waiting = hot.take_youngest(); waiting != nullptr) {
        // It knows only the node that it came from: it moves once, so as not to come back there.
        bool const has_moved = waiting->waited_at != Request::nowhere;
        NodeScheduler* const cold = has_moved ? nullptr : nearest_cold(hot, nullptr);
        if (cold == nullptr) {
            hot.append(*waiting);
            return;
        }
        move_waiting(*waiting, hot, *cold);
        cold->has_got_one = true;
        return;
    }
    RequestPlace* const place = hot.youngest();
    if (place == nullptr) return;
    Request& request = *place->request();
    NodeScheduler* const cold = nearest_cold(hot, place);
    if (cold == nullptr) return;
    cold->has_got_one = hot.active() == 1 ? share(request, *cold) : move_begun(request, hot, *cold);
}

void Balancer::move_waiting(Request& request, NodeScheduler& from, NodeScheduler& to) {
    counts_.moves.add(1);
    request.waited_at = from.place();
    to.add_tasks(1, [&] { to.append(request); }); // its beginning
    from.activity.remove(1);
}

bool Balancer::move_begun(Request& request, NodeScheduler& from, NodeScheduler& to) {
    bool const is_moved = NodeScheduler::move(request, from, to, [] { inject::point(); });
    if (is_moved) counts_.moves.add(1);
    return is_moved;
}

bool Balancer::move_now(Request& request, NodeScheduler& to) {
    if (request.place() == nullptr) return false;
    bool is_moved = false;
    lock_.lock();
    for (NodeScheduler& from : scheduler_.nodes()) is_moved = is_moved || move_begun(request, from, to);
    share_with_idle_locked();
    lock_.unlock();
    return is_moved;
}

bool Balancer::share_now(Request& request, NodeScheduler& to) {
    if (request.place() == nullptr) return false;
    lock_.lock();
    bool const is_shared = share(request, to);
    lock_.unlock();
    return is_shared;
}

bool Balancer::share(Request& request, NodeScheduler& to) {
    bool const is_shared = NodeScheduler::share(request, to);
    if (is_shared) counts_.shares.add(1);
    return is_shared;
}

} // namespace mxk::dataflow
