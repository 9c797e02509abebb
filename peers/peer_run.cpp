#include "peers/peer_run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <optional>
#include <vector>

#include "base/histogram.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

// One core's part of a phase; only its core writes it.
struct alignas(cache_line_bytes) Share {
    bool started = false;
    std::size_t done = 0;     // instructions, of this pass
    std::uint32_t passes = 0; // that have ended
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

// On each core step(share, place, counter) until it is Done. Errors: its own, of any core; no memory; Ctrl-C.
template <typename StepOfShare>
Result<std::vector<Share>> run_shares(Cores cores, Progress& progress, std::string_view what, std::size_t operations,
                                      StepOfShare step) {
    std::vector<Share> shares(cores.size());
    ProgressCounter counter;
    progress.phase(what, operations, counter);
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t i) {
        Result<Step> const done = step(shares[i], i, counter);
        if (done) return done.value();
        shares[i].failure = done.error();
        return Step::Done;
    }));
    for (Share const& share : shares)
        if (share.failure) return *share.failure;
    return shares;
}

} // namespace

Result<void> PeerRun::prepare(Progress& progress) {
    Mix const& first = workload_.mix.list().front();
    MXK_TRY(queue_.begin_with(first, progress));
    // Where a core has keys of its own: as many of a trace as the one that has more than any other.
    std::size_t const capacity =
        workload_.replay != nullptr ? queue_.max_key_count() * queue_.cores().size() : workload_.operations;
    table_.reset(); // the last run's gives its memory back before a new one takes some
    try {
        table_ = peer_.create(capacity, queue_.cores());
    } catch (std::exception const& failure) {
        return Error::of("no table for {} keys: {}", capacity, failure.what());
    }
    wrong_while_filling_ = first.needs_keys() ? MXK_TRY(run_all("filling the table", 1, progress)).wrong : 0;
    return {};
}

Result<PeerRun::Outcome> PeerRun::run_all(std::string_view what, std::uint32_t passes, Progress& progress) {
    CoreBarrier barrier(queue_.cores().size());
    alignas(cache_line_bytes) std::atomic<std::size_t> head{0}; // of a shared queue: alone on its line
    bool const is_shared = queue_.kind() == QueueKind::Shared;
    auto const step = [&](Share& share, std::size_t i, ProgressCounter& counter) -> Result<Step> {
        if (!share.started) {
            share.started = true;
            barrier.arrive_and_wait();
            measured_part_begins();
            share.start = clock::timestamp();
        }
        auto const source = queue_.source(i);
        PeerTable::Taken taken{};
        if (is_shared) {
            taken = MXK_TRY(table_->run_shared(i, source, head, piece));
        } else { // the next piece of its own slice
            std::size_t const to = std::min(share.done + piece, source.size());
            Histogram* const latency = measures_latency_ ? &share.latency : nullptr;
            taken = {to - share.done, MXK_TRY(table_->run(i, source, share.done, to, latency))};
        }
        share.wrong += taken.wrong;
        share.done += taken.instructions;
        counter.add(taken.instructions);
        bool const has_more = taken.instructions == piece && share.done < source.size();
        if (!has_more && ++share.passes < passes) share.done = 0;
        bool const goes_on = has_more || share.passes < passes;
        if (goes_on && !progress.interrupted()) return Step::Again;
        share.end = clock::timestamp();
        measured_part_ends();
        return Step::Done;
    };
    Outcome outcome;
    Histogram latency;
    auto const shares = MXK_TRY(run_shares(queue_.cores(), progress, what, queue_.operations() * passes, step));
    for (Share const& share : shares) {
        outcome.time.cover(share.start, share.end);
        outcome.wrong += share.wrong;
        latency.add(share.latency);
    }
    outcome.operations = queue_.phase_operations() * passes;
    outcome.latency = Durations::of(latency);
    return outcome;
}

// Each core looks at the keys of its slice.
Result<std::uint64_t> PeerRun::count_lost(Progress& progress) {
    auto const step = [&](Share& share, std::size_t i, ProgressCounter& counter) -> Result<Step> {
        std::size_t const size = queue_.slice(i).key_count();
        std::size_t const end = std::min(share.done + piece, size);
        std::array<std::uint64_t, 64> keys;
        std::array<std::optional<std::uint64_t>, 64> values;
        for (std::size_t count = 0; share.done < end; share.done += count) {
            count = std::min(keys.size(), end - share.done);
            for (std::size_t at = 0; at < count; ++at) keys[at] = queue_.slice(i).key(share.done + at);
            MXK_TRY(table_->find_all(i, std::span(keys).first(count), std::span(values).first(count)));
            for (std::size_t at = 0; at < count; ++at)
                share.wrong += queue_.is_right(i, share.done + at, values[at]) ? 0U : 1U;
            counter.add(count);
        }
        return share.done == size || progress.interrupted() ? Step::Done : Step::Again;
    };
    std::uint64_t lost = 0;
    auto const shares = MXK_TRY(run_shares(queue_.cores(), progress, "verifying", workload_.operations, step));
    for (Share const& share : shares) lost += share.wrong;
    return lost;
}

Result<PeerRun::Outcome> PeerRun::run(Mix const& phase, Progress& progress) {
    if (phase.needs_keys()) MXK_TRY(queue_.continue_with(phase, progress));
    if (queue_.kind() != QueueKind::Shared) // where nobody knows which core takes what
        for (std::size_t i = 0; i < queue_.cores().size(); ++i) MXK_TRY(table_->prepare(i, queue_.source(i)));
    std::uint64_t const faults = page_faults();
    Outcome outcome = MXK_TRY(run_all("measuring", passes_, progress));
    outcome.page_faults = page_faults() - faults;
    outcome.wrong += wrong_while_filling_;
    if (workload_.max_version() != 0) outcome.lost = MXK_TRY(count_lost(progress));
    outcome.in_table = table_->size();
    outcome.expected_in_table = queue_.live_count();
    return outcome;
}

} // namespace mxk::bench
