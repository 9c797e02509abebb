// Locks of a mapping database that adapt, brought into the state that fits a run, and back. Nothing happens with
// others.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "bench/adaptive/mapped_space.hpp"
#include "bench/adaptive/mapping_run.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// For objects in so many parts.
template <typename Locking>
mapping::MappingDatabase<Locking> database_of(std::size_t parts, [[maybe_unused]] MappingRun const& run) {
    using Database = mapping::MappingDatabase<Locking>;
    if constexpr (requires(Database database) { database.locking().cascade(); })
        return Database(*mapping::coherence(), parts, workers::of(run.cores.front()).node());
    else
        return Database(*mapping::coherence());
}

template <typename Locking>
void await_locks(std::span<MappedSpace<Locking>> spaces, typename MappedSpace<Locking>::Database& database) {
    wait_until([&] {
        for (auto& space : spaces)
            for (auto& object : space.objects())
                if (!database.is_settled(object)) return false;
        return true;
    });
}

// They become those of the core that works with the space: the first one's, or of the core at the space's place. Of a
// cascade: the granularity that the run says. Errors: no memory, interrupted by Ctrl-C; no change is under way then,
// either. The console's task.
template <typename Locking>
Result<void> adapt_locks(MappingRun const& run, std::span<MappedSpace<Locking>> spaces,
                         typename MappedSpace<Locking>::Database& database) {
    if constexpr (requires { database.locking().cascade(); }) {
        auto const fitting = spaces.size() == 1 ? Granularity::None : Granularity::Fine;
        auto const granularity = run.granularity.value_or(fitting);
        if (granularity == Granularity::Fine)
            if (auto const begun = database.locking().cascade().refine(); !begun) return begun.error();
        if (granularity != Granularity::None) {
            await_locks(spaces, database);
            return {};
        }
    }
    auto const claimed = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        if (place < spaces.size())
            for (auto& object : spaces[place].objects()) database.claim(object);
        return Step::Done;
    });
    await_locks(spaces, database);
    return claimed;
}
// And everybody's again.
template <typename Locking>
void share_locks(std::span<MappedSpace<Locking>> spaces, typename MappedSpace<Locking>::Database& database) {
    for (auto& space : spaces)
        for (auto& object : space.objects()) database.share(object);
    await_locks(spaces, database);
}

} // namespace mxk::bench
