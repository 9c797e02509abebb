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
#include "bench/rcu/sorted_list.hpp"
#include "bench/workload/key_draw.hpp"
#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"

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
struct ListUser : TimedPart {
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
};

// The list, and what the cores of a run have done with it.
class ListUsers {
  public:
    // Updates that a core can have under way until a grace period ends: some milliseconds of them, because a host may
    // take the processor of a core away for so long.
    static constexpr std::size_t items_per_core = 8192;

    explicit ListUsers(ListRun const& run)
        : run_(run)
        , keys_(run.distribution, run.keys, run.seed) {}
    ListUsers(ListUsers const&) = delete;
    ListUsers& operator=(ListUsers const&) = delete;
    // Waits for grace periods.
    ~ListUsers() { wait_for_readers(); }

    // Errors: no memory. The console's task.
    Result<void> prepare();

  protected:
    void wait_for_readers();
    // But for the protection.
    [[nodiscard]] ListOutcome outcome() const;

    ListRun run_;
    KeyDraw keys_;
    NodeVector<ListItem> first_items_;
    PerCore<ListUser> users_;
    alignas(cache_line_bytes) SortedList list_;

  private:
    [[nodiscard]] bool has_content() const;
    [[nodiscard]] std::uint64_t updates_of(std::uint64_t key) const;
};

template <typename Protection> class ProtectedList : public ListUsers {
  public:
    using ListUsers::ListUsers;

    // Once. Errors: no memory; Ctrl-C. The console's task.
    Result<ListOutcome> run() {
        CoreBarrier barrier(run_.cores.size());
        std::size_t const operations_per_turn = std::clamp<std::size_t>(keys_walked_per_turn / run_.keys, 1, 32);
        ProgressCounter nothing;
        run_.progress.phase("list", 1, nothing);
        MXK_TRY(run_steps(run_.cores, run_.progress, [&](Worker&, std::size_t place) {
            ListUser& user = users_[place];
            return user.turn(barrier, run_.time, run_.progress, [&] {
                for (std::size_t left = operations_per_turn;
                     operate(user) && --left != 0 && !arch::needs_attention();) {
                }
            });
        }));
        wait_for_readers();
        ListOutcome result = outcome();
        result.is_sound = protection_.is_sound(result.operations, result.updates);
        return result;
    }

  private:
    // Some microseconds of work.
    static constexpr std::size_t keys_walked_per_turn = 2048;

    // False: there is no item for its update. Then nothing is to be done before the core's tasks had their turn, and
    // with them its callbacks.
    [[gnu::always_inline]] bool operate(ListUser& user) {
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
            ListItem* const old = protection_.write([&] { return list_.replace(key, *item); });
            if (old != nullptr)
                protection_.give_back(user.pool, *old);
            else
                user.pool.give_back(*item);
            user.wrong += old != nullptr ? 0U : 1U;
            ++user.updates_of[key - 1];
            ++user.updates;
        } else {
            std::optional<std::uint64_t> const value = protection_.read([&] { return list_.find(key); });
            bool const is_right = value && is_value_of(key, *value, std::numeric_limits<std::uint32_t>::max());
            user.wrong += is_right ? 0U : 1U;
        }
        ++user.operations;
        return true;
    }

    alignas(cache_line_bytes) Protection protection_;
};

// One run. Errors: no memory, Ctrl-C. The console's task, which waits meanwhile.
template <typename Protection> Result<ListOutcome> run_list(ListRun const& run) {
    ProtectedList<Protection> list(run);
    MXK_TRY(list.prepare());
    return list.run();
}

} // namespace mxk::bench
