#include "bench/lock/contended_run.hpp"

#include <utility>

#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

locks::LockForm const& form_on(LockFabric fabric, locks::LockKind const& kind) {
    return fabric == LockFabric::Emu ? kind.forms.emulated : kind.forms.smp;
}

locks::LockForm const& counting_form_on(LockFabric fabric, locks::LockKind const& kind) {
    bool const counts = fabric == LockFabric::Smp && kind.forms.counting.is_there();
    return counts ? kind.forms.counting : form_on(fabric, kind);
}

std::optional<Error> why_unsupported(LockOptions const& options, locks::LockKind const& kind, bool gives_sections) {
    auto const& form = form_on(options.fabric, kind);
    if (!form.can_run()) return Error::of("{} has no form on {}", kind.name, name_of(options.fabric));
    if (!form.is_there() && !gives_sections)
        return Error::of("{} is given its sections: expected bench lock ecsb, wbab or ccwb", kind.name);
    std::size_t const nodes = options.nodes == 0 ? system_topology().nodes.size() : options.nodes;
    if (kind.of_one_node && nodes > 1) return Error::of("{} is for one node: expected --nodes 1", kind.name);
    return std::nullopt;
}

Result<LockList> chosen_locks(LockOptions const& options) {
    bool const is_emulated = options.fabric == LockFabric::Emu;
    return list_locks(options.locks, is_emulated ? &locks::DefaultPlace::emulated : &locks::DefaultPlace::smp);
}

Result<locks::StoredTopology> topology_for(LockOptions const& options, std::span<CoreId const> cores) {
    if (options.nodes == 0) return locks::StoredTopology::of_machine();
    return locks::StoredTopology::made_up(cores, options.nodes);
}

std::size_t region_bytes_for(locks::LockTopology const& topology, std::size_t count) {
    // Each part of a lock is one record in the region, or one for each group; the largest have three of six lines.
    std::size_t const groups = topology.groups(locks::Level::Cache) + topology.groups(locks::Level::Node);
    constexpr std::size_t of_group = 8 * cache_line_bytes;
    constexpr std::size_t of_lock = 32 * cache_line_bytes;
    return count * (of_lock + groups * of_group);
}

Result<std::optional<locks::Emulated>> emulated_for(LockOptions const& options, locks::LockTopology const& topology,
                                                    std::size_t count) {
    std::optional<locks::Emulated> emulated;
    if (options.fabric == LockFabric::Smp) return emulated;
    emulated = MXK_TRY(locks::Emulated::create(topology, region_bytes_for(topology, count),
                                               {.latency = Nanoseconds{options.latency},
                                                .near_latency = Nanoseconds{options.near_latency},
                                                .service = Nanoseconds{options.service}}));
    return emulated;
}

Result<ContendedEnd> run_contended(ContendedRun const& run, ContendedBody const& body) {
    LockSpace space(run.topology, MXK_TRY(emulated_for(run.options, run.topology, 1)), run.cores[0],
                    run.options.max_passes());
    auto const locks = MXK_TRY(LocksInUse::create(run.form, space, run.cores));
    auto words = MXK_TRY(TeamWords::create(space, run.cores, run.words));
    NodeId const here = Worker::current().node();
    auto turns = MXK_TRY(NodeVector<Turn>::create(run.cores.size(), here));
    for (std::size_t i = 0; i < run.cores.size(); ++i) turns.emplace();
    MXK_TRY(run_team(space, run.cores, run.progress, [&](TaskTeam& team) {
        UsedLock const lock = locks.used(0, team.worker());
        TeamWords::View far(words, team, space.emulated());
        if (run.is_watched) {
            TeamWords::View near(words, team); // to look costs nothing that a lock's users would pay
            Watched sections(team, near);
            turns[team.worker()] = body.run(team, lock, far, sections);
        } else {
            PlainSections sections;
            turns[team.worker()] = body.run(team, lock, far, sections);
        }
    }));
    auto scratch = MXK_TRY(NodeArray<double>::create(run.cores.size(), here));
    auto const outcome = TeamOutcome::of(turns.span(), scratch.span());
    return ContendedEnd{
        .turns = std::move(turns), .outcome = outcome, .words = std::move(words), .region_bytes = space.region_bytes()};
}

} // namespace mxk::bench
