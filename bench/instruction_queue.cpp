#include "bench/instruction_queue.hpp"

#include <algorithm>

#include "bench/steps.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Part i of `whole` cut into `parts` whose sizes differ by at most one.
constexpr std::size_t part_start(std::size_t whole, std::size_t parts, std::size_t i) {
    return whole / parts * i + std::min(i, whole % parts);
}

} // namespace

Result<InstructionQueue> InstructionQueue::create(std::uint64_t operations, std::uint64_t seed, std::uint32_t cores) {
    InstructionQueue result(operations, seed);
    NodeId const here = workers::of(core_id(0)).node();
    result.cores_ = MXK_TRY(NodeVector<CoreId>::create(cores, here));
    result.parts_ = MXK_TRY(NodeVector<Part>::create(cores, here));
    for (std::uint32_t i = 0; i < cores; ++i) {
        std::size_t const start = part_start(operations, cores, i);
        std::size_t const size = part_start(operations, cores, i + 1) - start;
        result.cores_.emplace(core_id(i));
        result.parts_.emplace(MXK_TRY(Slice::create(size, start, workers::of(core_id(i)).node())), Random(seed + i));
    }
    return result;
}

template <typename Function>
Result<void> InstructionQueue::over_slices(std::string_view what, Progress& progress, Function step) {
    ProgressCounter counter;
    progress.phase(what, operations_, counter);
    auto places = MXK_TRY(NodeArray<std::size_t>::create_zeroed(parts_.size(), Worker::current().node()));
    return run_steps(cores(), progress, [&](Worker&, std::size_t i) {
        std::size_t const from = places[i];
        std::size_t const to = std::min(from + piece, parts_[i].slice.size());
        step(parts_[i], from, to);
        places[i] = to;
        counter.add(to - from);
        return to == parts_[i].slice.size() || progress.interrupted() ? Step::Done : Step::Again;
    });
}

Result<void> InstructionQueue::begin_with(Mix const& phase, Progress& progress) {
    KeySequence const keys(seed_);
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].random = Random(seed_ + i);
    return over_slices("making instructions", progress, [&](Part& part, std::size_t from, std::size_t to) {
        if (phase.kind == Mix::Kind::Mixed)
            part.slice.fill_mixed(from, to, keys, phase, part.random);
        else
            part.slice.fill_inserts(from, to, keys);
    });
}

Result<void> InstructionQueue::go_on_with(Mix const& phase, Progress& progress) {
    Operation const operation = phase.kind == Mix::Kind::Find ? Operation::Find : Operation::Erase;
    return over_slices("shuffling keys", progress, [&](Part& part, std::size_t from, std::size_t to) {
        part.slice.turn_into(operation, from, to, part.random);
    });
}

} // namespace mxk::bench
