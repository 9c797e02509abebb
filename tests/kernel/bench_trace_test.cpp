// Recorded workloads (bench/trace) on real cores: every engine comes to the results of the replay, operation by
// operation and in its last values; and where it does not, that is found out.
#include <array>
#include <optional>

#include "base/crc32.hpp"
#include "bench/trace/trace_replay.hpp"
#include "bench/workload/random.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/bench_table_runs.hpp"

namespace mxk::bench {
namespace {

using namespace trace_format;

constexpr std::size_t recorded = 3000;

// Few keys, so that nearly every operation depends on others; without `overwrites` only what tables of keys can do.
Result<NodeVector<TraceReplay>> random_replay(bool overwrites) {
    NodeId const node = Worker::current().node();
    auto const bytes = MXK_TRY(NodeArray<std::byte>::create_zeroed(header_bytes + recorded * record_bytes, node));
    auto const put = [&](std::size_t offset, auto value) {
        __builtin_memcpy(bytes.data() + offset, &value, sizeof value);
    };
    __builtin_memcpy(bytes.data(), magic.data(), magic.size());
    put(byte_order_at, byte_order);
    put(version_at, version);
    put(count_at, std::uint64_t{recorded});
    Random random(1);
    for (std::size_t i = 0; i < recorded; ++i) {
        std::size_t const at = header_bytes + i * record_bytes;
        auto const operation = static_cast<Operation>(random.below(overwrites ? operations.size() : 3));
        put(at, operation);
        put(at + key_offset, 1 + random.below(60));
        put(at + value_offset, description_of(operation).writes_value ? random.next() : 0);
    }
    std::string_view const text(reinterpret_cast<char const*>(bytes.data()), header_bytes + recorded * record_bytes);
    put(check_sum_at, crc32(text.substr(header_bytes), crc32(text.substr(0, check_sum_at))));
    auto const trace = MXK_TRY(Trace::check(bytes.span().first(text.size())));
    auto result = MXK_TRY(NodeVector<TraceReplay>::create(1, node));
    result.emplace(MXK_TRY(TraceReplay::run(trace, node)));
    return result;
}

TableOptions options_for(EngineKind const& kind, TraceReplay const& replay) {
    TableOptions options = options_for(kind);
    options.trace = "recorded";
    options.replay = &replay;
    options.operations = replay.instructions().size();
    options.mix = Mix{.kind = Mix::Kind::Trace};
    options.queue = QueueKind::NodeLocal;
    return options;
}

// check(outcome) of every engine with a trace that it can run; and, if it does, with one that overwrites.
template <typename Check> void run_every_engine(TraceReplay const& replay, Check check) {
    for (EngineKind const* const kind : registered_engines()) {
        if (is_unsafe(kind)) continue;
        TableOptions const options = options_for(*kind, replay);
        if (!resolve(options)) continue; // a table of keys, and this trace overwrites values
        run_all(options, *kind, [&](Mix const&, TableExperiment::Outcome const& outcome) { check(outcome); });
    }
}

MXK_TEST(bench_trace, every_engine_comes_to_the_results_of_the_replay) {
    for (bool const overwrites : {false, true}) {
        auto const replay = MXK_REQUIRE_VALUE(random_replay(overwrites));
        std::size_t runs = 0;
        run_every_engine(replay[0], [&](TableExperiment::Outcome const& outcome) {
            MXK_CHECK_EQUAL(outcome.wrong, 0);
            MXK_CHECK_EQUAL(outcome.lost, 0);
            MXK_CHECK_EQUAL(outcome.in_table, replay[0].results().keys);
            MXK_CHECK(outcome.verified());
            ++runs;
        });
        MXK_CHECK(runs >= 8); // engines
    }
}

// What a run must be found to be wrong in: an expectation that is changed behind the replay's back.
void expect_one_wrong(TraceReplay const& replay) {
    run_every_engine(replay, [](TableExperiment::Outcome const& outcome) {
        MXK_CHECK_EQUAL(outcome.wrong, 1);
        MXK_CHECK_EQUAL(outcome.lost, 0);
        MXK_CHECK(!outcome.verified());
    });
}

MXK_TEST(bench_trace, a_value_of_another_write_is_found_out) {
    for (Operation const operation : {Operation::Find, Operation::Modify}) {
        auto const replay = MXK_REQUIRE_VALUE(random_replay(true));
        for (Instruction const& instruction : replay[0].instructions()) {
            if (instruction.operation != operation || !instruction.is_exact || instruction.version < 2) continue;
            --const_cast<Instruction&>(instruction).version;
            break;
        }
        expect_one_wrong(replay[0]);
    }
}

// Versions count from 0, which is what was inserted: nothing that was written later will do for it.
MXK_TEST(bench_trace, a_value_that_was_overwritten_too_early_is_found_out) {
    for (Operation const operation : {Operation::Find, Operation::Modify}) {
        auto const replay = MXK_REQUIRE_VALUE(random_replay(true));
        for (Instruction const& instruction : replay[0].instructions()) {
            if (instruction.operation != operation || instruction.version != 1) continue;
            auto& changed = const_cast<Instruction&>(instruction);
            changed.version = 0;
            changed.is_exact = false;
            break;
        }
        expect_one_wrong(replay[0]);
    }
}

MXK_TEST(bench_trace, a_find_that_should_have_hit_is_found_out) {
    auto const replay = MXK_REQUIRE_VALUE(random_replay(false));
    for (Instruction const& instruction : replay[0].instructions()) {
        if (instruction.operation != Operation::Find || instruction.expected) continue;
        const_cast<Instruction&>(instruction).expected = true;
        break;
    }
    expect_one_wrong(replay[0]);
}

MXK_TEST(bench_trace, another_value_at_the_end_is_found_out) {
    auto const replay = MXK_REQUIRE_VALUE(random_replay(true));
    for (std::size_t number = 0; number < replay[0].keys().size(); ++number) {
        if (!replay[0].state(number).is_live) continue;
        ++const_cast<TraceReplay::KeyState&>(replay[0].state(number)).version;
        break;
    }
    run_every_engine(replay[0], [](TableExperiment::Outcome const& outcome) {
        MXK_CHECK_EQUAL(outcome.wrong, 0);
        MXK_CHECK_EQUAL(outcome.lost, 1);
        MXK_CHECK(!outcome.verified());
    });
}

} // namespace
} // namespace mxk::bench
