#include "bench/rcu/list_run.hpp"

#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

Result<void> ListUsers::prepare() {
    NodeId const here = Worker::current().node();
    first_items_ = MXK_TRY(NodeVector<ListItem>::create(run_.keys, here));
    users_ = MXK_TRY(PerCore<ListUser>::with_room(run_.cores.size(), here));
    for (std::size_t place = 0; place < run_.cores.size(); ++place) {
        NodeId const node = workers::of(run_.cores[place]).node();
        auto items = MXK_TRY(NodeVector<ListItem>::create(items_per_core, node));
        auto updates_of = MXK_TRY(NodeArray<std::uint64_t>::create_zeroed(run_.keys, node));
        ListUser& user = *MXK_TRY(users_.add(node, std::move(items), std::move(updates_of), run_.seed + 1 + place));
        for (std::size_t i = 0; i < items_per_core; ++i) user.pool.give_back(user.items.emplace());
    }
    // The list's order has nothing to do with where its items lie.
    Permutation const place_of(run_.keys, run_.seed);
    for (std::size_t i = 0; i < run_.keys; ++i) first_items_.emplace();
    for (std::size_t key = run_.keys; key > 0; --key) list_.push_front(first_items_[place_of(key - 1)], key);
    return {};
}

void ListUsers::wait_for_readers() {
    for (ListUser const& user : users_)
        while (user.pool.waiting() != 0) rcu::synchronize();
}

ListOutcome ListUsers::outcome() const {
    ListOutcome result;
    for (ListUser const& user : users_) {
        result.time.cover(user.start, user.end);
        result.operations += user.operations;
        result.updates += user.updates;
        result.waits += user.waits;
        result.wrong += user.wrong;
        result.all_cores_ran = result.all_cores_ran && user.operations != 0;
    }
    result.has_content = has_content();
    return result;
}

bool ListUsers::has_content() const {
    std::uint64_t last_key = 0;
    bool is_right = true;
    list_.visit_while([&](ListItem const& item) {
        std::uint64_t const key = item.key.load(std::memory_order_relaxed);
        is_right = is_right && key == last_key + 1 && key <= run_.keys &&
                   version_of(key, item.value.load(std::memory_order_relaxed)) == updates_of(key);
        last_key = key;
        return is_right;
    });
    std::size_t free = 0;
    for (ListUser const& user : users_) free += user.pool.count_free();
    return is_right && last_key == run_.keys && free == users_.size() * items_per_core;
}

std::uint64_t ListUsers::updates_of(std::uint64_t key) const {
    std::uint64_t sum = 0;
    for (ListUser const& user : users_) sum += user.updates_of[key - 1];
    return sum;
}

} // namespace mxk::bench
