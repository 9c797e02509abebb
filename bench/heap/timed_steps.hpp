// A run of all cores of a set whose parts wait for each other: each core does its part in steps, between which the
// others' tasks, Ctrl-C and progress get their turn, and a core that can do nothing at the moment offers its processor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/spin_wait.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

enum class HeapStep : std::uint8_t { Moved, Waited, Ended };

// Runs turn(place) again and again on each core until it says Ended, all from a common start. It says Waited where it
// could do nothing. Gives the time from the first core's start to the last one's end. Errors: no memory; interrupted:
// then some turns have not ended. The console's task.
template <typename Function>
Result<TimeSpan> time_turns(std::span<CoreId const> cores, Progress const& progress, Function turn) {
    struct Part {
        Cycles start{};
        Cycles end{};
        std::uint32_t waits = 0;
        bool is_started = false;
    };
    auto parts = MXK_TRY(NodeVector<Part>::create(cores.size(), Worker::current().node()));
    for (std::size_t place = 0; place < cores.size(); ++place) parts.emplace();
    CoreBarrier barrier(cores.size());
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        Part& part = parts[place];
        if (!part.is_started) {
            part.is_started = true;
            barrier.arrive_and_wait();
            measured_part_begins();
            part.start = clock::timestamp();
        }
        for (int round = 0; round < 16; ++round) {
            HeapStep const done = progress.interrupted() ? HeapStep::Ended : turn(place);
            if (done == HeapStep::Ended) {
                part.end = clock::timestamp();
                measured_part_ends();
                return Step::Done;
            }
            if (done == HeapStep::Moved) continue;
            if (++part.waits % 64 == 0 && processors_may_be_taken)
                offer_processor(); // what is waited for may need it
            else
                __builtin_ia32_pause();
            break;
        }
        return Step::Again;
    }));
    TimeSpan span;
    for (Part const& part : parts) span.cover(part.start, part.end);
    return span;
}

} // namespace mxk::bench
