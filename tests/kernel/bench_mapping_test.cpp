// `bench adaptive mapping`, `revoke` and `revoke-independent` on real cores, small: what they count has the shape that
// they are there to show, and locks that keep nobody out of what is shared are no way to have it.
#include <algorithm>
#include <span>
#include <string_view>

#include "bench/adaptive/mapping_run.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::bench {
namespace {

struct Counted {
    double interrupts = 0;
    double locks = 0;
    double atomics = 0;
    double messages = 0;
};

Counted counted(Result<Sample> const& sample) {
    Counted result;
    MXK_CHECK(sample.ok() && sample.value().verified);
    if (!sample.ok()) return result;
    for (auto const& found : sample.value().findings.entries()) {
        if (found.name == "interrupts") result.interrupts = found.value;
        if (found.name == "locks") result.locks = found.value;
        if (found.name == "atomics") result.atomics = found.value;
        if (found.name == "messages") result.messages = found.value;
    }
    return result;
}

Counted run_once(std::span<CoreId const> cores, std::size_t pages, Result<Sample> (*run)(MappingRun const&),
                 MappingLocking locking) {
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    Progress progress(invocation);
    constexpr std::size_t rounds = 5;
    return counted(run({cores, locking, pages, rounds, progress}));
}

MXK_TEST(bench_mapping, fine_locks_are_one_for_each_page_and_a_coarse_one_is_for_32) {
    CoreId const here[] = {Worker::current().core()};
    constexpr std::size_t pages = 128;
    Counted const coarse = run_once(here, pages, &run_unmap, MappingLocking::Coarse);
    Counted const fine = run_once(here, pages, &run_unmap, MappingLocking::Fine);
    MXK_CHECK(fine.locks >= 1 && coarse.locks * 16 < fine.locks);
    MXK_CHECK(coarse.interrupts == 0 && fine.interrupts == 0);
}

MXK_TEST(bench_mapping, dynamic_locks_of_one_core_are_not_taken) {
    CoreId const there[] = {last_core()};
    Counted const unmapped = run_once(there, 64, &run_unmap, MappingLocking::Dynamic);
    MXK_CHECK_EQUAL(unmapped.locks, 0.0);
    Counted const revoked = run_once(there, 8, &run_revoke, MappingLocking::Dynamic);
    MXK_CHECK_EQUAL(revoked.locks, 0.0);
    MXK_CHECK_EQUAL(revoked.atomics, 0.0);
}

// One that revokes beside others interrupts all of them with a coarse lock, and none with fine ones.
MXK_TEST(bench_mapping, revoking_costs_the_same_on_any_number_of_cores_with_fine_locks) {
    auto const all = all_cores();
    if (all.size() < 2) MXK_SKIP("needs two cores");
    auto const few = all.span().first(2);
    auto const many = all.span().first(std::min<std::size_t>(all.size(), 8));
    auto const alone = all.span().first(1);
    for (std::size_t const pages : {std::size_t{1}, std::size_t{8}}) {
        Counted const fine_alone = run_once(alone, pages, &run_revoke, MappingLocking::Fine);
        for (auto const cores : {few, many}) {
            Counted const coarse = run_once(cores, pages, &run_revoke, MappingLocking::Coarse);
            Counted const fine = run_once(cores, pages, &run_revoke, MappingLocking::Fine);
            MXK_CHECK_EQUAL(fine.interrupts, 0.0);
            MXK_CHECK_EQUAL(fine.locks, fine_alone.locks);
            MXK_CHECK_EQUAL(fine.atomics, fine_alone.atomics);
            auto const others = static_cast<double>(cores.size() - 1);
            MXK_CHECK_EQUAL(coarse.interrupts, others);
            MXK_CHECK(coarse.atomics >= fine_alone.atomics + 3 * others); // bit, answer, lock
        }
    }
}

MXK_TEST(bench_mapping, independent_revocations_interrupt_nobody_with_fine_locks) {
    auto const all = all_cores();
    auto const cores = all.span().first(std::min<std::size_t>(all.size(), 8));
    Counted const coarse = run_once(cores, 1, &run_revoke_independent, MappingLocking::Coarse);
    Counted const fine = run_once(cores, 1, &run_revoke_independent, MappingLocking::Fine);
    Counted const none = run_once(cores, 1, &run_revoke_independent, MappingLocking::None);
    MXK_CHECK_EQUAL(fine.interrupts, 0.0);
    MXK_CHECK_EQUAL(none.interrupts, 0.0);
    MXK_CHECK_EQUAL(fine.locks, none.locks);
    Counted const dynamic = run_once(cores, 1, &run_revoke_independent, MappingLocking::Dynamic);
    MXK_CHECK_EQUAL(dynamic.locks, 0.0);
    MXK_CHECK_EQUAL(dynamic.interrupts, 0.0);
    if (cores.size() > 1) MXK_CHECK(coarse.locks > fine.locks * static_cast<double>(cores.size()) * 0.9);
}

// A cascade is what its granularity says; also with one lock for all nobody is interrupted because of others, since
// each object has its own record.
MXK_TEST(bench_mapping, a_cascade_counts_as_the_locks_that_are_enabled) {
    auto const all = all_cores();
    auto const alone = all.span().first(1);
    auto const cores = all.span().first(std::min<std::size_t>(all.size(), 8));
    constexpr std::size_t pages = 64;
    MXK_CHECK_EQUAL(run_once(alone, pages, &run_unmap, MappingLocking::Cascade).locks, 0.0);
    Counted const coarse = run_once(alone, pages, &run_unmap, MappingLocking::CascadeCoarse);
    MXK_CHECK_EQUAL(coarse.locks, run_once(alone, pages, &run_unmap, MappingLocking::Coarse).locks);
    Counted const fine = run_once(alone, pages, &run_unmap, MappingLocking::CascadeFine);
    MXK_CHECK_EQUAL(fine.locks, 1.0);
    MXK_CHECK_EQUAL(run_once(alone, 8, &run_revoke, MappingLocking::Cascade).atomics, 0.0);
    if (cores.size() < 2) return;
    Counted const many = run_once(cores, pages, &run_revoke, MappingLocking::Cascade);
    Counted const with_fine = run_once(cores, pages, &run_revoke, MappingLocking::Fine);
    MXK_CHECK_EQUAL(many.locks, with_fine.locks);
    MXK_CHECK_EQUAL(many.atomics, with_fine.atomics);
    MXK_CHECK_EQUAL(many.interrupts, 0.0);
    Counted const with_one = run_once(cores, pages, &run_revoke, MappingLocking::CascadeCoarse);
    MXK_CHECK_EQUAL(with_one.locks, with_fine.locks + static_cast<double>(cores.size() - 1));
    MXK_CHECK_EQUAL(with_one.interrupts, 0.0);
    Counted const independent = run_once(cores, 1, &run_revoke_independent, MappingLocking::Cascade);
    MXK_CHECK_EQUAL(independent.interrupts, 0.0);
    MXK_CHECK_EQUAL(independent.locks, run_once(cores, 1, &run_revoke_independent, MappingLocking::Fine).locks);
}

// Messages are counted in place of locks.
MXK_TEST(bench_mapping, messages_take_no_lock) {
    auto const all = all_cores();
    auto const cores = all.span().first(std::min<std::size_t>(all.size(), 8));
    auto const owners = static_cast<double>(cores.size());
    constexpr std::size_t pages = 64;
    Counted const to_each = run_once(cores, pages, &run_unmap, MappingLocking::Message);
    MXK_CHECK_EQUAL(to_each.locks, 0.0);
    MXK_CHECK_EQUAL(to_each.messages, 1.0 + owners / pages); // for each page, and one for each owner
    Counted const to_one = run_once(cores, pages, &run_unmap, MappingLocking::MessageOne);
    MXK_CHECK_EQUAL(to_one.locks, 0.0);
    MXK_CHECK_EQUAL(to_one.messages, 3.0 / pages);
    Counted const revoked = run_once(cores, 8, &run_revoke, MappingLocking::Message);
    MXK_CHECK_EQUAL(revoked.atomics, 0.0);
    MXK_CHECK_EQUAL(revoked.messages, 9.0);
    Counted const by_one = run_once(cores, 8, &run_revoke, MappingLocking::MessageOne);
    MXK_CHECK(by_one.interrupts <= owners - 1); // those that halt meanwhile are not interrupted
    MXK_CHECK_EQUAL(by_one.messages, 9.0);
    Counted const independent = run_once(cores, 1, &run_revoke_independent, MappingLocking::Message);
    MXK_CHECK_EQUAL(independent.atomics, 0.0);
    MXK_CHECK_EQUAL(independent.messages, 1.0);
    run_once(cores, 1, &run_revoke_independent, MappingLocking::MessageOne);
}

} // namespace
} // namespace mxk::bench
