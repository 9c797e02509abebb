#include "arch/files.hpp"
#include "base/units.hpp"
#include "bench/trace/trace.hpp"
#include "bench/trace/trace_replay.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/memory/scratch_memory.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t max_trace_bytes = 256 * GiB;

// The file's bytes are given back before this returns.
Result<TraceReplay> replay_file(std::string_view path, NodeId node) {
    memory::ScratchMemory memory(node);
    Arena arena(memory);
    auto const bytes = MXK_TRY(arch::read_file(path, max_trace_bytes, arena));
    Trace const trace = MXK_TRY(Trace::check(bytes));
    return TraceReplay::run(trace, node);
}

} // namespace

std::uint64_t Workload::max_version() const {
    if (replay != nullptr) return replay->max_version();
    return ycsb && ycsb->overwrites() ? operations : 0;
}

Result<NodeVector<TraceReplay>> read_trace(Workload& workload, NodeId node) {
    if (!workload.trace) return NodeVector<TraceReplay>();
    auto result = MXK_TRY(NodeVector<TraceReplay>::create(1, node));
    auto replay = replay_file(*workload.trace, node);
    if (!replay) return Error::of("--trace: {}", replay.error().message());
    workload.replay = &result.emplace(std::move(replay).value());
    workload.operations = workload.replay->results().operations;
    workload.mix = Mix{.kind = Mix::Kind::Trace};
    return result;
}

} // namespace mxk::bench
