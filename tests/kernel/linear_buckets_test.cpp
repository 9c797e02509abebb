// A table that grows and shrinks bucket by bucket, and moves from node to node, while other cores read it in place.
#include "hashtable/table/linear_buckets.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bench/workload/random.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/read_in_place.hpp"

namespace mxk {
namespace {

// So few keys belong to the table that it begins with a frame of buckets.
constexpr HashPrefix prefix{.bits = 10, .value = 3};
// Keys of a bucket that are divided when it is.
std::uint64_t hash_of(std::uint64_t bucket, std::uint64_t number) {
    return prefix.first() | bucket << 48 | (((number + 1) * golden_ratio) & PairBucket::remainder_mask);
}

// Other keys of the table, which come, all of them, and go, so that each bucket is divided, and made one again.
class Others {
  public:
    static constexpr std::uint64_t count = 300;

    explicit Others(LinearBuckets<>& table)
        : table_(table) {}
    void change() {
        std::uint64_t const key = MixedHash::inverse(hash_of(4 + next_ % 60, 1000 + next_));
        bool const is_right = they_come_ ? table_.insert(key, next_) == Insert::Inserted : table_.erase(key);
        wrong += is_right ? 0U : 1U;
        if (++next_ < count) return;
        next_ = 0;
        they_come_ = !they_come_;
        ++waves;
    }

    std::uint64_t wrong = 0;
    std::uint64_t waves = 0;

  private:
    LinearBuckets<>& table_;
    std::uint64_t next_ = 0;
    bool they_come_ = true;
};

std::size_t used_bytes() {
    std::size_t used = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) used += memory::use(node_id(i)).used;
    return used;
}

MXK_TEST(tables, a_table_is_read_while_it_grows_shrinks_and_moves) {
    auto const cores = all_cores();
    using All = test::ReadInPlace<LinearBuckets<>>;
    auto readers = NodeArray<All::Reader>::create_zeroed(cores.size(), Worker::current().node());
    MXK_CHECK(readers.ok());
    if (!readers.ok()) return;
    // What a machine takes when it does so for the first time.
    MXK_CHECK(run_on(cores.span(), [](Worker&, std::size_t) { return Step::Done; }) && rcu::barrier().ok());
    std::size_t const used = used_bytes();
    {
        auto made = LinearBuckets<>::create({.slots = 16}, Worker::current().node(), MixedHash(), prefix);
        MXK_CHECK(made.ok());
        if (!made.ok()) return;
        LinearBuckets<>& table = made.value();
        std::size_t const first_bytes = table.bytes();
        std::size_t max_bytes = 0;
        All all(table, &hash_of);
        Others others(table);
        InjectDelays const delays;
        constexpr std::size_t turns = 1600;    // of 50 changes each, or more
        constexpr std::uint64_t found = 5'000; // by each reader, or more
        std::atomic<std::size_t> changed{0};
        std::atomic<std::size_t> still_few{cores.size() - 1};
        bool const ran = run_on(cores.span(), [&](Worker&, std::size_t place) {
            // relaxed: only says when it is over
            std::size_t const turn = changed.load(std::memory_order_relaxed);
            bench::Random random(turn * cores.size() + place);
            bool const had_few = readers.value()[place].found < found;
            for (int i = 0; i < 50; ++i) {
                if (place != 0) {
                    readers.value()[place].look(all, random);
                } else if (i % 2 == 0) {
                    all.change(random);
                } else {
                    others.change();
                    if (table.has_work()) table.work();
                }
            }
            if (place == 0) {
                max_bytes = std::max(max_bytes, table.bytes());
                if (turn % 10 == 0) table.move_to(node_id(turn / 10 % memory::node_count()));
                changed.store(turn + 1, std::memory_order_relaxed);
            }
            if (place != 0 && had_few && readers.value()[place].found >= found) --still_few;
            return turn + 1 < turns || still_few.load() != 0 ? Step::Again : Step::Done;
        });
        MXK_CHECK(ran);
        MXK_CHECK_EQUAL(all.wrong_by_owner + others.wrong, std::uint64_t{0});
        MXK_CHECK(others.waves >= 120);
        MXK_CHECK(max_bytes > first_bytes);
        for (std::size_t place = 0; place < cores.size(); ++place)
            MXK_CHECK_EQUAL(readers.value()[place].wrong, std::uint64_t{0});
    }
    MXK_CHECK(rcu::barrier().ok()); // what was given back while others read
    MXK_CHECK_EQUAL(used_bytes(), used);
}

} // namespace
} // namespace mxk
