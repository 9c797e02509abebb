#include "peers/peer_run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <optional>
#include <vector>

#include "base/histogram.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

// One core's part of a phase; only its core writes it.
struct alignas(cache_line_bytes) Share {
    bool started = false;
    std::size_t done = 0; // instructions
    std::uint64_t wrong = 0;
    std::optional<Error> failure;
    Cycles start{};
    Cycles end{};
    Histogram latency{};
};

// Of all threads of the process, so far.
std::uint64_t page_faults() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<std::uint64_t>(used.ru_minflt + used.ru_majflt);
}

// The next piece of a core's own slice.
Result<PeerTable::Taken> run_piece(PeerTable& table, std::size_t core, std::span<Instruction const> slice, Share& share,
                                   bool measures_latency) {
    std::size_t const to = std::min(share.done + piece, slice.size());
    Histogram* const latency = measures_latency ? &share.latency : nullptr;
    return PeerTable::Taken{to - share.done, MXK_TRY(table.run(core, slice, share.done, to, latency))};
}

} // namespace

Result<PeerRun> PeerRun::create(Workload const& workload, Peer const& peer, Cores cores, bool latency) {
    QueueKind const queue = queue_or(workload, QueueKind::NodeLocal);
    return PeerRun(workload, peer, MXK_TRY(InstructionQueue::create(workload, queue, cores)), latency);
}

Result<void> PeerRun::prepare(Progress& progress) {
    Mix const& first = workload_->mix.list().front();
    MXK_TRY(queue_.begin_with(first, progress));
    // Where a core has keys of its own: as many of a trace as the one that has more than any other.
    std::size_t const capacity =
        workload_->replay != nullptr ? queue_.max_key_count() * queue_.cores().size() : workload_->operations;
    table_.reset(); // the last run's gives its memory back before a new one takes some
    try {
        table_ = peer_->create(capacity, queue_.cores());
    } catch (std::exception const& failure) {
        return Error::of("no table for {} keys: {}", capacity, failure.what());
    }
    wrong_while_filling_ = first.needs_keys() ? MXK_TRY(run_all("filling the table", progress)).wrong : 0;
    return {};
}

Result<PeerRun::Outcome> PeerRun::run_all(std::string_view what, Progress& progress) {
    std::vector<Share> shares(queue_.cores().size());
    ProgressCounter counter;
    progress.phase(what, workload_->operations, counter);
    CoreBarrier barrier(shares.size());
    alignas(cache_line_bytes) std::atomic<std::size_t> head{0}; // of a shared queue: alone on its line
    bool const is_shared = queue_.kind() == QueueKind::Shared;
    MXK_TRY(run_steps(queue_.cores(), progress, [&](Worker&, std::size_t i) {
        Share& share = shares[i];
        if (!share.started) {
            share.started = true;
            barrier.arrive_and_wait();
            share.start = clock::timestamp();
        }
        auto const source = queue_.source(i);
        auto const taken = is_shared ? table_->run_shared(i, source, head, piece)
                                     : run_piece(*table_, i, source, share, measures_latency_);
        if (!taken) {
            share.failure = taken.error();
            return Step::Done;
        }
        share.wrong += taken.value().wrong;
        share.done += taken.value().instructions;
        counter.add(taken.value().instructions);
        bool const has_more = taken.value().instructions == piece && share.done < source.size();
        if (has_more && !progress.interrupted()) return Step::Again;
        share.end = clock::timestamp();
        return Step::Done;
    }));

    Outcome outcome;
    Histogram latency;
    for (Share const& share : shares) {
        if (share.failure) return *share.failure;
        outcome.time.cover(share.start, share.end);
        outcome.wrong += share.wrong;
        latency.add(share.latency);
    }
    outcome.operations = queue_.phase_operations();
    outcome.latency = Durations::of(latency);
    return outcome;
}

// Each core looks at the keys of its slice.
Result<std::uint64_t> PeerRun::count_lost(Progress& progress) {
    std::vector<Share> shares(queue_.cores().size());
    ProgressCounter counter;
    progress.phase("verifying", workload_->operations, counter);
    MXK_TRY(run_steps(queue_.cores(), progress, [&](Worker&, std::size_t i) {
        Share& share = shares[i];
        std::size_t const size = queue_.slice(i).key_count();
        std::size_t const end = std::min(share.done + piece, size);
        std::array<std::uint64_t, 64> keys;
        std::array<std::optional<std::uint64_t>, 64> values;
        for (std::size_t count = 0; share.done < end; share.done += count) {
            count = std::min(keys.size(), end - share.done);
            for (std::size_t at = 0; at < count; ++at) keys[at] = queue_.slice(i).key(share.done + at);
            auto const found = table_->find_all(i, std::span(keys).first(count), std::span(values).first(count));
            if (!found) {
                share.failure = found.error();
                return Step::Done;
            }
            for (std::size_t at = 0; at < count; ++at)
                share.wrong += queue_.is_right(i, share.done + at, values[at]) ? 0U : 1U;
            counter.add(count);
        }
        return share.done == size || progress.interrupted() ? Step::Done : Step::Again;
    }));
    std::uint64_t lost = 0;
    for (Share const& share : shares) {
        if (share.failure) return *share.failure;
        lost += share.wrong;
    }
    return lost;
}

Result<PeerRun::Outcome> PeerRun::run(Mix const& phase, Progress& progress) {
    if (phase.needs_keys()) MXK_TRY(queue_.continue_with(phase, progress));
    if (queue_.kind() != QueueKind::Shared) // where nobody knows which core takes what
        for (std::size_t i = 0; i < queue_.cores().size(); ++i) MXK_TRY(table_->prepare(i, queue_.source(i)));
    std::uint64_t const faults = page_faults();
    Outcome outcome = MXK_TRY(run_all("measuring", progress));
    outcome.page_faults = page_faults() - faults;
    outcome.wrong += wrong_while_filling_;
    if (workload_->max_version() != 0) outcome.lost = MXK_TRY(count_lost(progress));
    outcome.in_table = table_->size();
    outcome.expected_in_table = queue_.live_count();
    return outcome;
}

} // namespace mxk::bench
