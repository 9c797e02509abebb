// `bench lock` on real cores, small: locks under their benchmarks keep others out, one that does not is found out, and
// the numbers are what was done.
#include <algorithm>
#include <array>
#include <string_view>

#include "base/inject.hpp"
#include "bench/lock/contended_run.hpp"
#include "bench/lock/upb_body.hpp"
#include "kernel/console/named.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::bench {
namespace {

locks::LockKind const& kind(std::string_view name) {
    auto const* const found = console::find_by_name(locks::registered_lock_kinds(), name);
    expect(found != nullptr, "the lock is registered");
    return *found;
}

// Up to four cores, cut into two nodes, for some milliseconds; a Ctrl-C that nobody types.
class Contention {
  public:
    explicit Contention(LockFabric fabric)
        : all_(all_cores())
        , cores_(all_.span().first(std::min<std::size_t>(all_.size(), 4))) {
        options_.fabric = fabric;
        options_.nodes = static_cast<std::uint32_t>(std::min<std::size_t>(cores_.size(), 2));
        options_.latency = 200;
    }
    [[nodiscard]] std::size_t workers() const { return cores_.size(); }

    template <typename Body> Result<ContendedEnd> run(locks::LockForm const& form, bool is_watched, Body body) {
        FixedText<1> nowhere;
        console::Invocation const invocation(nowhere);
        Progress progress(invocation);
        auto const topology = MXK_TRY(topology_for(options_, cores_));
        locks::LockTopology const view = topology.view();
        Timing const timing{.warm_up = clock::to_cycles(Nanoseconds{300'000}),
                            .measured = clock::to_cycles(Nanoseconds{2'700'000}),
                            .iterations_per_look = 1};
        auto const use = [&](auto& team, UsedLock const& lock, auto& words, auto& sections) {
            return body(team, lock, timing, words, sections);
        };
        return run_contended({.options = options_,
                              .form = form,
                              .cores = cores_,
                              .topology = view,
                              .timing = timing,
                              .words = Work::words(cores_.size(), max_critical_work),
                              .is_watched = is_watched,
                              .progress = progress},
                             ContendedBodyOf(use));
    }

  private:
    NodeVector<CoreId> all_;
    std::span<CoreId const> cores_;
    LockOptions options_;
};

constexpr auto ecsb = [](auto& team, UsedLock const& lock, Timing const& timing, auto& /*words*/, auto& sections) {
    return run_ecsb(team, lock, timing, sections);
};

void check_statistics(ContendedEnd const& ended) {
    std::uint64_t sum = 0;
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint64_t largest = 0;
    Cycles max_elapsed{};
    for (Turn const& turn : ended.turns) {
        sum += turn.iterations;
        smallest = std::min(smallest, turn.iterations);
        largest = std::max(largest, turn.iterations);
        max_elapsed = std::max(max_elapsed, turn.elapsed);
    }
    MXK_CHECK_EQUAL(ended.outcome.iterations, sum);
    MXK_CHECK(ended.outcome.elapsed == max_elapsed);
    MXK_CHECK_EQUAL(ended.outcome.minimum, static_cast<double>(smallest));
    MXK_CHECK_EQUAL(ended.outcome.maximum, static_cast<double>(largest));
    MXK_CHECK(ended.outcome.median >= ended.outcome.minimum && ended.outcome.median <= ended.outcome.maximum);
    auto const workers = static_cast<double>(ended.turns.size());
    double const mean = static_cast<double>(sum) / workers;
    double squares = 0;
    for (Turn const& turn : ended.turns) {
        double const distance = static_cast<double>(turn.iterations) - mean;
        squares += distance * distance;
    }
    // Of its square: the kernel has no root to compare with.
    double const variation = ended.outcome.variation * mean / 100;
    double const wanted = ended.turns.size() < 2 ? 0 : squares / (workers - 1);
    MXK_CHECK(variation * variation >= wanted * 0.999 && variation * variation <= wanted * 1.001);
}

MXK_TEST(bench_lock, locks_keep_others_out_and_counts_add_up) {
    for (LockFabric const fabric : {LockFabric::Smp, LockFabric::Emu}) {
        Contention contention(fabric);
        for (std::string_view const name : {"tts", "mcs", "clh", "c-mcs-mcs"}) {
            locks::LockKind const& it = kind(name);
            auto const& form = fabric == LockFabric::Smp ? it.forms.counting : it.forms.emulated;
            auto const ended = contention.run(form, true, ecsb);
            MXK_CHECK(ended.ok());
            if (!ended) continue;
            TeamOutcome const& outcome = ended.value().outcome;
            MXK_CHECK(ended.value().excludes());
            MXK_CHECK(outcome.minimum >= 1);
            MXK_CHECK(outcome.sections.all >= outcome.iterations); // with the warm-up's
            MXK_CHECK_EQUAL(outcome.counts.immediate + outcome.counts.delayed, outcome.iterations);
            std::uint64_t const releases = outcome.counts.local_releases + outcome.counts.global_releases;
            MXK_CHECK_EQUAL(releases, it.has_nodes ? outcome.iterations : 0);
            std::uint64_t const operations =
                outcome.operations.home + outcome.operations.others + outcome.operations.near;
            MXK_CHECK_EQUAL(operations != 0, fabric == LockFabric::Emu);
            check_statistics(ended.value());
        }
    }
}

MXK_TEST(bench_lock, a_simulation_is_the_same_each_time_and_polls_of_the_home_make_a_lock_slow) {
    Contention contention(LockFabric::Emu);
    if (contention.workers() < 4) MXK_SKIP("needs two nodes of two cores");
    std::uint64_t slower = 0;
    for (std::string_view const name : {"shfl", "shfl-tas", "mcs-tts", "mcs-tas", "mcs"}) {
        auto const first = contention.run(kind(name).forms.emulated, false, ecsb);
        auto const second = contention.run(kind(name).forms.emulated, false, ecsb);
        MXK_CHECK(first.ok() && second.ok());
        if (!first || !second) return;
        for (std::size_t worker = 0; worker < contention.workers(); ++worker) {
            Turn const& turn = first.value().turns[worker];
            Turn const& again = second.value().turns[worker];
            MXK_CHECK_EQUAL(turn.iterations, again.iterations);
            MXK_CHECK_EQUAL(raw(turn.elapsed), raw(again.elapsed));
        }
        std::uint64_t const iterations = first.value().outcome.iterations;
        MXK_CHECK(iterations > slower);
        slower = iterations;
    }
}

MXK_TEST(bench_lock, what_is_timed_counts_no_sections) {
    if (inject::enabled) MXK_SKIP("builds that inject delays have one form for both");
    Contention contention(LockFabric::Smp);
    auto const ended = contention.run(kind("mcs").forms.smp, false, ecsb);
    MXK_CHECK(ended.ok());
    if (!ended) return;
    MXK_CHECK(ended.value().outcome.iterations != 0);
    MXK_CHECK_EQUAL(ended.value().outcome.sections.all, 0);
    MXK_CHECK_EQUAL(ended.value().outcome.counts.immediate, 0);
    check_statistics(ended.value());
}

class LetsIn {
  public:
    struct Node {};
    explicit LetsIn(locks::SmpSite const& /*site*/) {}
    void acquire(Node& /*node*/) {}
    void release(Node& /*node*/) {}
};

MXK_TEST(bench_lock, a_lock_that_lets_others_in_is_found_out) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    constexpr locks::LockForm form = locks::form_of<LetsIn, locks::SmpSite>();
    Contention contention(LockFabric::Smp);
    std::uint64_t const deadline = raw(clock::now()) + 30'000'000'000;
    bool is_found = false;
    while (!is_found && raw(clock::now()) < deadline) {
        auto const ended = contention.run(form, true, ecsb);
        MXK_CHECK(ended.ok());
        if (!ended) return;
        is_found = !ended.value().excludes();
    }
    MXK_CHECK(is_found);
}

MXK_TEST(bench_lock, workers_that_wait_before_a_section_delay_each_other_less) {
    Contention contention(LockFabric::Smp);
    auto const mean = clock::to_cycles(Nanoseconds{20'000 * contention.workers()});
    auto const wbab = [&](auto& team, UsedLock const& lock, Timing const& timing, auto& /*words*/, auto& sections) {
        return run_wbab(team, lock, timing, {.mean = mean}, sections);
    };
    auto const ended = contention.run(kind("ticket").forms.counting, true, wbab);
    MXK_CHECK(ended.ok());
    if (!ended) return;
    TeamOutcome const& outcome = ended.value().outcome;
    MXK_CHECK(ended.value().excludes());
    // No worker comes more often than its shortest waits let it: two thirds of the mean.
    double const shortest = static_cast<double>(raw(mean)) * 2 / 3;
    for (Turn const& turn : ended.value().turns)
        MXK_CHECK(static_cast<double>(turn.iterations) * shortest <= static_cast<double>(raw(turn.elapsed)) * 1.001);
    MXK_CHECK(outcome.iterations != 0);
}

MXK_TEST(bench_lock, no_increment_of_critical_work_is_lost) {
    for (LockFabric const fabric : {LockFabric::Smp, LockFabric::Emu}) {
        Contention contention(fabric);
        for (bool const is_shared : {false, true}) {
            Work const work{.critical = 3, .is_shared = is_shared};
            auto const ccwb = [&](auto& team, UsedLock const& lock, Timing const& timing, auto& words, auto& sections) {
                return run_ccwb(team, lock, timing, work, words, sections);
            };
            for (std::string_view const name : {"c-mcs-tkt", "delegation"}) {
                auto const& forms = kind(name).forms;
                auto const& form = fabric == LockFabric::Smp ? forms.smp : forms.emulated;
                if (!form.can_run()) continue;
                auto const ended = contention.run(form, true, ccwb);
                MXK_CHECK(ended.ok());
                if (!ended) continue;
                MXK_CHECK(ended.value().excludes());
                MXK_CHECK(ended.value().outcome.increments >= 3 * ended.value().outcome.iterations);
                MXK_CHECK_EQUAL(sum_of_increments(ended.value().words, contention.workers()),
                                ended.value().outcome.increments);
            }
        }
    }
}

MXK_TEST(bench_lock, a_free_lock_was_last_where_its_scenario_says) {
    auto const all = all_cores();
    if (all.size() < upb_workers) MXK_SKIP("needs four cores");
    auto const cores = all.span().first(upb_workers);
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    Progress progress(invocation);
    auto const topology = locks::StoredTopology::made_up(cores, 2);
    MXK_CHECK(topology.ok());
    if (!topology) return;
    locks::LockTopology const view = topology.value().view();
    constexpr std::size_t count = 20;
    for (std::string_view const name : {"mcs", "clh", "rh-1-32", "c-mcs-hem"}) {
        LockSpace space(view, std::nullopt, cores[0], locks::default_passes);
        auto const made = LocksInUse::create(kind(name).forms.smp, space, cores, count);
        auto const words = TeamWords::create(space, cores, count);
        MXK_CHECK(made.ok() && words.ok());
        if (!made || !words) return;
        std::array<UpbTurn, upb_workers> turns{};
        auto const ended = run_team(space, cores, progress, [&](TaskTeam& team) {
            auto const lock_at = [&](std::size_t at) { return made.value().used(at, team.worker()); };
            turns[team.worker()] = check_upb(team, count, lock_at, words.value());
        });
        MXK_CHECK(ended.ok());
        for (std::size_t step = 0; step < upb_scenarios; ++step)
            for (std::size_t worker = 0; worker < upb_workers; ++worker)
                MXK_CHECK_EQUAL(turns[worker].elapsed[step] != Cycles{}, worker == upb_steps[step].worker);
        for (UpbTurn const& turn : turns) MXK_CHECK_EQUAL(turn.wrong, 0);
    }
}

MXK_TEST(bench_lock, names_are_locks_that_there_are) {
    LockNames names;
    auto const list = [&] { return list_locks(names, &locks::DefaultPlace::smp); };
    MXK_CHECK(parse_value("mcs,tts", names).ok());
    auto const two = list();
    MXK_CHECK(two.ok());
    if (!two) return;
    MXK_CHECK_EQUAL(two.value().size(), 2);
    MXK_CHECK(two.value()[0] == &kind("mcs") && two.value()[1] == &kind("tts"));
    auto const unknown = parse_value("mcs,tocket", names);
    MXK_CHECK(!unknown.ok());
    if (!unknown) MXK_CHECK(unknown.error().message().find("'tocket'; did you mean ticket") != std::string_view::npos);
    names = {};
    auto const by_default = list();
    MXK_CHECK(by_default.ok());
    if (!by_default) return;
    MXK_CHECK(by_default.value().size() >= 10 && by_default.value()[0] == &kind("tas"));
    for (std::size_t i = 1; i < by_default.value().size(); ++i)
        MXK_CHECK(by_default.value()[i - 1]->by_default.smp < by_default.value()[i]->by_default.smp);
}

// Also of a lock that one file has added (added_lock.cpp), and of more than anybody has counted on.
MXK_TEST(bench_lock, no_lock_is_dropped_from_all) {
    std::size_t built = 0;
    for (auto const* const it : locks::registered_lock_kinds()) built += it->missing.empty() ? 1U : 0U;
    LockNames names;
    MXK_CHECK(parse_value("all,all,all", names).ok());
    auto const listed = list_locks(names, &locks::DefaultPlace::smp);
    MXK_CHECK(listed.ok());
    if (!listed) return;
    MXK_CHECK_EQUAL(listed.value().size(), 3 * built);
    MXK_CHECK(listed.value().size() > 80);
    MXK_CHECK_EQUAL(std::count(listed.value().begin(), listed.value().end(), &kind("patient-ticket")), 3);
}

} // namespace
} // namespace mxk::bench
