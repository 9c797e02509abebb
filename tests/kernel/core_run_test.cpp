// What a core takes of its instructions (bench/table/core_run.hpp): each once in every pass, in their order.
#include <array>

#include "bench/table/core_run.hpp"
#include "kernel/testing.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t source_size = 5;

struct Source {
    Source() {
        for (std::size_t i = 0; i < source_size; ++i) instructions[i] = {i + 1, Operation::Find, true};
    }
    std::array<Instruction, source_size> instructions{};
    PhaseRun phase;
    Task ended{[](Worker&, Task&) {}};
};

void check_ends(CoreRun& run) {
    MXK_CHECK(run.take() == nullptr);
    MXK_CHECK(run.take(3).empty());
}

MXK_TEST(core_run, instructions_are_taken_again_in_each_pass) {
    for (Consumers const takers : {Consumers::OneCore, Consumers::CoreThreads}) {
        for (std::uint32_t const passes : {1U, 2U, 7U}) {
            Source source;
            CoreRun run(source.phase, source.instructions, takers, source.ended);
            run.repeat(passes);
            for (std::size_t i = 0; i < passes * source_size; ++i) {
                Instruction const* const next = run.take();
                MXK_CHECK(next == &source.instructions[i % source_size]);
            }
            MXK_CHECK_EQUAL(run.done(), passes * source_size);
            MXK_CHECK(run.take() == nullptr);
        }
    }
}

MXK_TEST(core_run, a_piece_ends_where_a_pass_does) {
    Source source;
    TakenWord taken{0};
    CoreRun run(source.phase, source.instructions, Consumers::OneCore, source.ended, &taken);
    run.repeat(2);
    for (int pass = 0; pass < 2; ++pass) {
        MXK_CHECK(run.take(3).data() == source.instructions.data());
        MXK_CHECK_EQUAL(taken.load(), 3);
        MXK_CHECK_EQUAL(run.take(3).size(), 2);
    }
    check_ends(run);
    MXK_CHECK_EQUAL(run.done(), 2 * source_size);
}

MXK_TEST(core_run, a_phase_that_was_stopped_begins_no_other_pass) {
    for (Consumers const takers : {Consumers::OneCore, Consumers::CoreThreads, Consumers::AllCores}) {
        Source source;
        CoreRun run(source.phase, source.instructions, takers, source.ended);
        run.repeat(takers == Consumers::AllCores ? 1 : 3);
        for (std::size_t i = 0; i < source_size; ++i) MXK_CHECK(run.take() != nullptr);
        source.phase.stopped.store(true);
        check_ends(run);
    }
}

} // namespace
} // namespace mxk::bench
