// One run of a contended lock by tasks, one on each core of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/lock/bodies.hpp"
#include "bench/lock/lock_options.hpp"
#include "bench/lock/lock_space.hpp"
#include "bench/lock/task_team.hpp"
#include "bench/lock/turn_statistics.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/stored_topology.hpp"

namespace mxk::bench {

// The form of a kind that is timed on a fabric; one that does not exist: it has none there.
locks::LockForm const& form_on(LockFabric fabric, locks::LockKind const& kind);
// And the one that counts, where there is one.
locks::LockForm const& counting_form_on(LockFabric fabric, locks::LockKind const& kind);
// Why a kind cannot be measured. `gives_sections`: so that a lock that is given them can, too.
std::optional<Error> why_unsupported(LockOptions const& options, locks::LockKind const& kind, bool gives_sections);
// Those that are named, or what is measured on a fabric if none are.
Result<LockList> chosen_locks(LockOptions const& options);

// The machine's topology, or one with nodes that are made up. Errors: no memory; more nodes than cores.
Result<locks::StoredTopology> topology_for(LockOptions const& options, std::span<CoreId const> cores);
// The memory of `count` locks, for each worker.
std::size_t region_bytes_for(locks::LockTopology const& topology, std::size_t count);
Result<std::optional<locks::Emulated>> emulated_for(LockOptions const& options, locks::LockTopology const& topology,
                                                    std::size_t count);

struct ContendedRun {
    LockOptions const& options; // fabric, latency and passes of them
    locks::LockForm const& form;
    std::span<CoreId const> cores;
    locks::LockTopology const& topology;
    Timing timing;
    std::size_t words; // of each worker, section_words or more
    bool is_watched;   // sections look whether others are let in
    Progress& progress;
};
struct ContendedEnd {
    NodeVector<Turn> turns;
    TeamOutcome outcome;
    TeamWords words;
    std::size_t region_bytes; // of the lock, in the memory of each worker; emu

    // Whether no two sections were at the same time that others could see, as far as they were watched.
    [[nodiscard]] bool excludes() const { return words.get(0, section_count_word) == outcome.sections.all; }
};

// What a worker does.
using Watched = WatchedSections<TaskTeam, TeamWords::View>;
class ContendedBody {
  public:
    virtual Turn run(TaskTeam& team, UsedLock const& lock, TeamWords::View& words, PlainSections& sections) const = 0;
    virtual Turn run(TaskTeam& team, UsedLock const& lock, TeamWords::View& words, Watched& sections) const = 0;

  protected:
    ~ContendedBody() = default;
};
// body(team, lock, words, sections), one of bodies.hpp.
template <typename Body> class ContendedBodyOf final : public ContendedBody {
  public:
    explicit ContendedBodyOf(Body const& body)
        : body_(body) {}
    Turn run(TaskTeam& team, UsedLock const& lock, TeamWords::View& words, PlainSections& sections) const override {
        return body_(team, lock, words, sections);
    }
    Turn run(TaskTeam& team, UsedLock const& lock, TeamWords::View& words, Watched& sections) const override {
        return body_(team, lock, words, sections);
    }

  private:
    Body const& body_;
};

// The lock is made anew. Errors: no memory, Ctrl-C. The console's task.
Result<ContendedEnd> run_contended(ContendedRun const& run, ContendedBody const& body);

} // namespace mxk::bench
