// The shared table of lines as a part of `soak`.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bench/workload/random.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tests/kernel/contenders.hpp"
#include "tests/kernel/lines_user.hpp"
#include "tests/soak/soak_part.hpp"

namespace mxk {
namespace {

// All of it in threads, on a table that comes and goes. Who writes also moves.
void soak_lines_round(SoakRun const& run, std::uint64_t seed) {
    constexpr std::uint32_t operations = 20'000;
    constexpr std::uint64_t first_filling = std::uint64_t{1} << 40;
    std::size_t const threads = workers::count();
    auto owners = NodeVector<Owner>::create(threads, node_id(0));
    auto contenders = NodeVector<Contender<LinesUser>>::create(threads, node_id(0));
    MXK_CHECK(owners.ok() && contenders.ok());
    if (!owners || !contenders) return;
    for (std::size_t i = 0; i < threads; ++i) owners.value().emplace(core_id(i), workers::of(core_id(i)).node());
    auto created = ConcurrentLines<>::create({.keys = 16}, owners.value().span());
    MXK_CHECK(created.ok());
    if (!created) return;
    auto& table = created.value();
    std::atomic<std::size_t> left{threads};
    std::atomic<std::size_t> next{0};
    for (std::size_t i = 0; i < threads; ++i) contenders.value().emplace(LinesUser(table), i, operations, seed);
    auto body = [&] {
        contenders.value()[next.fetch_add(1)]();
        left.fetch_sub(1);
    };
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i)
        group.start({.core = core_id(i), .name = "cht_lines", .slice = Nanoseconds{200'000}}, body);
    bench::Random random(seed);
    while (left.load() != 0 && !run.is_over()) {
        std::uint64_t const keys = 100 + random.below(4'000);
        for (std::uint64_t key = first_filling; key < first_filling + keys; ++key) {
            rcu::ReadSection const section;
            MXK_CHECK(table.insert(key, key) == Insert::Inserted);
        }
        for (std::uint64_t key = first_filling; key < first_filling + keys; ++key) {
            rcu::ReadSection const section;
            MXK_CHECK(table.find(key) == key && table.erase(key));
        }
    }
    group.join();
    {
        rcu::ReadSection const section;
        MXK_CHECK_EQUAL(count_wrong(contenders.value(), [&](std::uint64_t key) { return table.find(key) == ~key; }),
                        0U);
        while (table.work() || table.try_again()) { // nobody else moves any more
        }
        MXK_CHECK(!table.is_resizing());
        table.check();
    }
    MXK_CHECK(rcu::barrier().ok());
}
void soak_lines(SoakRun const& run) {
    for (std::uint64_t round = 0; !run.is_over(); ++round) soak_lines_round(run, run.seed * 1000 + round);
}
constexpr SoakPart lines_part{
    .name = "cht_lines", .summary = "a table of lines that grows and shrinks under threads", .run = &soak_lines};
MXK_REGISTER(mxk_soak_parts, SoakPart, lines_part);

} // namespace
} // namespace mxk
