// How the operations of a trace become slices of the instruction queue.
#include <algorithm>
#include <utility>

#include "base/splitmix.hpp"
#include "bench/frame/steps.hpp"
#include "bench/trace/trace_replay.hpp"
#include "bench/workload/instruction_queue.hpp"
#include "hashtable/fraction.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Another hash than those of the tables: which core has the operations is not to depend on which one owns the key.
std::size_t any_slice_of(std::uint64_t key, std::size_t slices) {
    return high_product(splitmix(key), slices);
}

} // namespace

// Which one has the operations on a key.
std::size_t InstructionQueue::slice_of(std::uint64_t key) const {
    return kind_ == QueueKind::Owner ? cut_->owner(key) : any_slice_of(key, cores_.size());
}

Result<Slice> Slice::create_split(std::span<Instruction> room, std::size_t keys, NodeId node) {
    SplitTrace split;
    split.keys = MXK_TRY(NodeArray<std::uint64_t>::create(keys, node));
    split.versions = MXK_TRY(NodeArray<std::uint32_t>::create(keys, node));
    split.key_count = keys;
    Keys const listed{.kind = Keys::Kind::File, .listed = split.keys.span()};
    Slice slice(room, KeySequence(listed, 0), 0);
    slice.live_ = MXK_TRY(NodeArray<std::uint64_t>::create_zeroed((keys + word_bits - 1) / word_bits, node));
    slice.split_.emplace(std::move(split));
    return slice;
}

void Slice::put_key(std::uint64_t key, bool is_live, std::uint32_t version) {
    std::size_t const at = split_->put_keys++;
    split_->keys[at] = key;
    split_->versions[at] = version;
    set_live(at, is_live);
}

Result<InstructionQueue> InstructionQueue::create_split(Workload const& workload, QueueKind kind,
                                                        std::span<CoreId const> cores,
                                                        std::optional<ModuloKeys> const& others,
                                                        std::optional<ModuloCut> const& cut) {
    NodeId const here = workers::of(core_id(0)).node();
    TraceReplay const& replay = *workload.replay;
    InstructionQueue result(workload, kind, others, cut);
    result.cores_ = MXK_TRY(NodeVector<CoreId>::create(cores.size(), here));
    for (CoreId const core : cores) result.cores_.emplace(core);
    auto sizes = MXK_TRY(NodeArray<std::size_t>::create_zeroed(cores.size(), here));
    for (Instruction const& instruction : replay.instructions()) ++sizes[result.slice_of(instruction.key)];
    auto keys = MXK_TRY(NodeArray<std::size_t>::create_zeroed(cores.size(), here));
    for (std::uint64_t const key : replay.keys()) ++keys[result.slice_of(key)];
    result.arrays_ = MXK_TRY(NodeVector<NodeArray<Instruction>>::create(cores.size(), here));
    result.parts_ = MXK_TRY(NodeVector<Part>::create(cores.size(), here));
    for (std::size_t i = 0; i < cores.size(); ++i) {
        auto const room = MXK_TRY(result.room(0, sizes[i], i));
        auto slice = MXK_TRY(Slice::create_split(room, keys[i], result.node(i)));
        result.parts_.emplace(std::move(slice), Random(0), KeyDraw({}, 0, 0), NodeArray<std::uint64_t>());
    }
    return result;
}

// Each core looks at all operations, and takes those that are its own; once, since none of them ever changes.
Result<void> InstructionQueue::deal(Progress& progress) {
    if (is_split_) return {};
    TraceReplay const& replay = *workload_->replay;
    MXK_TRY(
        over_all("dealing instructions", replay.instructions().size(), progress, [&](std::size_t i, std::size_t at) {
            Instruction instruction = replay.instructions()[at];
            if (slice_of(instruction.key) != i) return;
            if (others_) instruction.key = (*others_)(instruction.key);
            parts_[i].slice.put(instruction);
        }));
    MXK_TRY(over_all("dealing keys", replay.keys().size(), progress, [&](std::size_t i, std::size_t at) {
        std::uint64_t const key = replay.keys()[at];
        TraceReplay::KeyState const& state = replay.state(at);
        if (slice_of(key) != i) return;
        parts_[i].slice.put_key(others_ ? (*others_)(key) : key, state.is_live, state.version);
    }));
    is_split_ = true;
    return {};
}

template <typename Function>
Result<void> InstructionQueue::over_all(std::string_view what, std::size_t count, Progress& progress, Function take) {
    ProgressCounter counter;
    progress.phase(what, count * parts_.size(), counter);
    auto places = MXK_TRY(NodeArray<std::size_t>::create_zeroed(parts_.size(), Worker::current().node()));
    return run_steps(cores(), progress, [&](Worker&, std::size_t i) {
        std::size_t const from = places[i];
        std::size_t const to = std::min(from + piece, count);
        for (std::size_t at = from; at < to; ++at) take(i, at);
        places[i] = to;
        counter.add(to - from);
        return to == count || progress.interrupted() ? Step::Done : Step::Again;
    });
}

} // namespace mxk::bench
