// Operations on one sorted list by tasks of all cores of a set. A look-up walks to a random key and reads its value; an
// update walks to one, puts a new item with a new value in its item's place, and gives the old one back. The same loop
// and the same list for all ways to protect it (Protection: list_protection.hpp).
//
// What shows that it was protected: each look-up finds its key with a value of that key's, though items that were given
// back are poisoned and used for other keys; afterwards the list has each key once, in order, each value is of the
// version that all cores' updates of that key make together, and no item is lost.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/steps.hpp"
#include "bench/rcu/list_item_pool.hpp"
#include "bench/rcu/sorted_list.hpp"
#include "bench/workload/key_draw.hpp"
#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

struct ListRun {
    std::span<CoreId const> cores;
    std::size_t keys;
    unsigned update_percent;
    Distribution distribution;
    Cycles time;
    std::uint64_t seed;
    Progress& progress;
};

struct ListOutcome {
    TimeSpan time;
    std::uint64_t operations = 0;
    std::uint64_t updates = 0; // of these
    std::uint64_t waits = 0;   // turns that a core ended because it had no free item
    std::uint64_t wrong = 0;   // look-ups that found nothing, or what is not the key's; updates that found nothing
    bool all_cores_ran = true;
    bool has_content = false; // afterwards, as said above
    bool is_sound = false;    // the protection, as it says itself

    [[nodiscard]] bool verified() const { return wrong == 0 && all_cores_ran && has_content && is_sound; }
};

// One core's part.
struct ListUser {
    ListUser(NodeVector<ListItem> its_items, NodeArray<std::uint64_t> its_updates, std::uint64_t seed)
        : items(std::move(its_items))
        , updates_of(std::move(its_updates))
        , random(seed) {}

    NodeVector<ListItem> items;          // for its pool
    NodeArray<std::uint64_t> updates_of; // by key - 1
    Random random;
    ListItemPool pool;
    std::optional<std::uint64_t> put_off; // the key of an update that has no item yet
    std::uint64_t operations = 0;
    std::uint64_t updates = 0;
    std::uint64_t waits = 0;
    std::uint64_t wrong = 0;
    bool has_begun = false;
    Cycles start{};
    Cycles end{};
};

template <typename Protection> class ProtectedList {
  public:
    // Updates that a core can have under way until a grace period ends: some milliseconds of them, because a host may
    // take the processor of a core away for so long.
    static constexpr std::size_t items_per_core = 8192;

    // Errors: no memory. The console's task, as all that is public here.
    static Result<ProtectedList> create(ListRun const& run) {
        NodeId const here = Worker::current().node();
        ProtectedList made(run);
        made.first_items_ = MXK_TRY(NodeVector<ListItem>::create(run.keys, here));
        made.shared_ = MXK_TRY(NodeVector<Shared>::create(1, here));
        made.shared_.emplace();
        made.users_ = MXK_TRY(PerCore<ListUser>::with_room(run.cores.size(), here));
        for (std::size_t place = 0; place < run.cores.size(); ++place) {
            NodeId const node = workers::of(run.cores[place]).node();
            auto items = MXK_TRY(NodeVector<ListItem>::create(items_per_core, node));
            auto updates_of = MXK_TRY(NodeArray<std::uint64_t>::create_zeroed(run.keys, node));
            auto const added = made.users_.add(node, std::move(items), std::move(updates_of), run.seed + 1 + place);
            if (!added) return added.error();
            ListUser& user = *added.value();
            for (std::size_t i = 0; i < items_per_core; ++i) user.pool.give_back(user.items.emplace());
        }
        made.link_first_items();
        return made;
    }
    ProtectedList(ProtectedList&&) = default;
    ProtectedList& operator=(ProtectedList&&) = delete;
    // Waits for grace periods.
    ~ProtectedList() { wait_for_readers(); }

    // Once. Errors: no memory; Ctrl-C.
    Result<ListOutcome> run() {
        StartBarrier barrier(run_.cores.size());
        std::size_t const operations_per_turn = std::clamp<std::size_t>(keys_walked_per_turn / run_.keys, 1, 32);
        ProgressCounter nothing;
        run_.progress.phase("list", 1, nothing);
        MXK_TRY(run_steps(run_.cores, run_.progress, [&](Worker&, std::size_t place) {
            ListUser& user = users_[place];
            if (!user.has_begun) {
                barrier.arrive_and_wait();
                user.has_begun = true;
                user.start = clock::timestamp();
            }
            for (std::size_t i = 0; i < operations_per_turn && operate(user); ++i) {
            }
            user.end = clock::timestamp();
            return user.end >= user.start + run_.time || run_.progress.interrupted() ? Step::Done : Step::Again;
        }));
        wait_for_readers();
        return outcome();
    }

  private:
    // Some microseconds of work.
    static constexpr std::size_t keys_walked_per_turn = 2048;

    // What all cores read, and lines that they write.
    struct alignas(cache_line_bytes) Shared {
        SortedList list;
        alignas(cache_line_bytes) Protection protection;
    };

    explicit ProtectedList(ListRun const& run)
        : run_(run)
        , keys_(run.distribution, run.keys, run.seed) {}

    // The list's order has nothing to do with where its items lie.
    void link_first_items() {
        Permutation const place_of(run_.keys, run_.seed);
        for (std::size_t i = 0; i < run_.keys; ++i) first_items_.emplace();
        for (std::size_t key = run_.keys; key > 0; --key)
            shared_[0].list.push_front(first_items_[place_of(key - 1)], key);
    }

    // False: there is no item for its update. Then nothing is to be done before the core's tasks had their turn, and
    // with them its callbacks.
    [[gnu::always_inline]] bool operate(ListUser& user) {
        SortedList& list = shared_[0].list;
        Protection& protection = shared_[0].protection;
        bool const is_update = user.put_off || user.random.below(100) < run_.update_percent;
        std::uint64_t const key = user.put_off ? *user.put_off : 1 + keys_(user.random);
        if (is_update) {
            ListItem* const item = user.pool.take();
            if (item == nullptr) {
                user.put_off = key;
                ++user.waits;
                return false;
            }
            user.put_off.reset();
            ListItem* const old = protection.write([&] { return list.replace(key, *item); });
            if (old != nullptr)
                protection.give_back(user.pool, *old);
            else
                user.pool.give_back(*item);
            user.wrong += old != nullptr ? 0U : 1U;
            ++user.updates_of[key - 1];
            ++user.updates;
        } else {
            std::optional<std::uint64_t> const value = protection.read([&] { return list.find(key); });
            bool const is_right = value && is_value_of(key, *value, std::numeric_limits<std::uint32_t>::max());
            user.wrong += is_right ? 0U : 1U;
        }
        ++user.operations;
        return true;
    }

    void wait_for_readers() {
        for (ListUser const& user : users_)
            while (user.pool.waiting() != 0) rcu::synchronize();
    }

    ListOutcome outcome() {
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
        result.is_sound = shared_[0].protection.is_sound(result.operations, result.updates);
        return result;
    }

    [[nodiscard]] bool has_content() const {
        std::uint64_t last_key = 0;
        bool is_right = true;
        shared_[0].list.visit_while([&](ListItem const& item) {
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
    [[nodiscard]] std::uint64_t updates_of(std::uint64_t key) const {
        std::uint64_t sum = 0;
        for (ListUser const& user : users_) sum += user.updates_of[key - 1];
        return sum;
    }

    ListRun run_;
    KeyDraw keys_;
    NodeVector<ListItem> first_items_;
    NodeVector<Shared> shared_; // one
    PerCore<ListUser> users_;
};

// One run. Errors: no memory, Ctrl-C. The console's task, which waits meanwhile.
template <typename Protection> Result<ListOutcome> run_list(ListRun const& run) {
    auto list = MXK_TRY(ProtectedList<Protection>::create(run));
    return list.run();
}

} // namespace mxk::bench
