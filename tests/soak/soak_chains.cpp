// The concurrent table of chains as a part of `soak`.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/splitmix.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tests/kernel/chain_stress.hpp"
#include "tests/kernel/thread_group.hpp"
#include "tests/soak/soak_part.hpp"

namespace mxk::chain_stress {
namespace {

// A small table, made by a task for a thread.
class TableOfThread : Task {
  public:
    TableOfThread()
        : Task(&TableOfThread::make) {
        send_task(*this, this_thread::core());
        is_made_.wait();
    }
    [[nodiscard]] bool ok() const { return table_->ok(); }
    Table& operator*() { return **table_; }
    Table* operator->() { return &**table_; }

  private:
    static void make(Worker&, Task& task) {
        auto& self = static_cast<TableOfThread&>(task);
        self.table_.emplace(concurrent::TableShape{.first_heads = 8});
        self.is_made_.post();
    }
    std::optional<Chains> table_;
    Semaphore is_made_;
};

// All of it in threads, on a table that comes and goes.
void soak_round(SoakRun const& run, std::uint64_t first_number) {
    constexpr std::size_t operations_each = 20'000;
    constexpr std::size_t max_filling = 4000;
    NodeId const node = node_id(0);
    TableOfThread table;
    auto filling = NodeVector<TestItem>::create(max_filling, node);
    MXK_CHECK(filling.ok());
    if (!table.ok() || !filling) return;
    for (std::size_t i = 0; i < max_filling; ++i) filling.value().emplace();
    std::size_t const users = workers::count() + 1;
    std::optional<Stress> stress;
    {
        rcu::ReadSection const section;
        stress.emplace(*table, users, node, run.seed);
    }
    if (!stress->ok()) return;
    std::atomic<std::size_t> next_user{0};
    std::atomic<std::size_t> left{users};
    auto body = [&] {
        std::size_t const user = next_user.fetch_add(1);
        for (std::size_t i = 0; i < operations_each && !run.is_over(); ++i) {
            rcu::ReadSection const section;
            stress->operate(user, first_number + i);
        }
        left.fetch_sub(1);
    };
    ThreadGroup group(users);
    for (std::size_t i = 0; i < users; ++i)
        group.start({.core = core_id(i % workers::count()), .name = "cht", .slice = Nanoseconds{200'000}}, body);
    for (std::uint64_t wave = first_number; left.load() != 0; ++wave) {
        std::size_t const items = 100 + splitmix(wave) % (max_filling - 100);
        for (TestItem& item : filling.value().span().first(items)) {
            // One that is removed during a resize may be in its chain until that ends.
            if (item.state.load(std::memory_order_acquire) != TestItem::State::Free) continue;
            auto const key = 1'000'000 + static_cast<std::uint64_t>(&item - filling.value().span().data());
            rcu::ReadSection const section;
            put(item, key, 1'000'000);
            table->insert(item);
        }
        for (TestItem& item : filling.value()) {
            if (item.state.load(std::memory_order_relaxed) != TestItem::State::InTable) continue;
            item.state.store(TestItem::State::Removed, std::memory_order_relaxed); // before anybody can retire it
            rcu::ReadSection const section;
            MXK_CHECK(table->remove(item));
        }
        if (wave % 4 == 0) table->settle();
        if (wave % 2 == 0) MXK_CHECK(rcu::barrier().ok());
    }
    group.join();
    MXK_CHECK_EQUAL(stress->wrong(), 0U);
    {
        rcu::ReadSection const section;
        stress->remove_all();
    }
    table->settle();
    MXK_CHECK_EQUAL(table->size(), 0U);
    MXK_CHECK(rcu::barrier().ok());
}
void soak_table(SoakRun const& run) {
    for (std::uint64_t round = 0; !run.is_over(); ++round) soak_round(run, (run.seed + round) << 20);
}
constexpr SoakPart table_part{
    .name = "cht", .summary = "a concurrent table that grows and shrinks under threads", .run = &soak_table};
MXK_REGISTER(mxk_soak_parts, SoakPart, table_part);

} // namespace
} // namespace mxk::chain_stress
