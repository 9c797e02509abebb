#include "bench/workload/workload.hpp"

#include "base/format.hpp"
#include "bench/frame/names.hpp"

namespace mxk::bench {
namespace {

// Whether an operation's result depends on which other ones came before.
bool depends_on_order(Mix const& phase, Distribution const& distribution) {
    if (phase.has_shares() || phase.kind == Mix::Kind::Load || phase.kind == Mix::Kind::Run) return true;
    return phase.kind != Mix::Kind::Find && !distribution.is_uniform();
}

// The first of the phases whose results depend on the order; null: none.
Mix const* ordered_phase(Workload const& workload) {
    for (Mix const& phase : workload.mix.list())
        if (depends_on_order(phase, workload.distribution)) return &phase;
    return nullptr;
}

Result<void> check_stride(Workload const& workload) {
    std::uint64_t const max = Keys::max / workload.operations;
    if (workload.keys.kind != Keys::Kind::Strided || workload.keys.stride <= max) return {};
    return Error::of("--keys strided:N: expected N of up to {}, so that {} keys fit in 64 bits, got {}", max,
                     workload.operations, workload.keys.stride);
}

Result<void> check_slices(Workload const& workload) {
    if (workload.slices != SliceKind::Packed || queue_or(workload, QueueKind::PerCore) == QueueKind::PerCore) return {};
    return Error::of("--slices packed: expected --queue per-core, which has slices on one node, got --queue {}",
                     name_of(*workload.queue));
}

// Which keys may come again.
Result<void> check_repeated(Workload const& workload) {
    if (workload.keys.kind != Keys::Kind::Repeated) return {};
    if (workload.ycsb || !workload.distribution.is_uniform())
        return Error("--keys random:BITS: expected no --workload and no --dist but uniform, which draw from keys that "
                     "are all different");
    if (workload.queue == QueueKind::Shared || workload.queue == QueueKind::Owner)
        return Error("--keys random:BITS: expected --queue node-local or per-core: from a shared queue operations on "
                     "one key could overtake each other, and a queue of the owner's has keys that are all different");
    return {};
}

// What a trace leaves nothing to say of.
Result<void> check_trace_alone(Workload const& workload) {
    Workload const defaults;
    std::string_view besides;
    if (workload.operations != defaults.operations) besides = "--ops";
    if (!workload.mix.is_default()) besides = "--mix";
    if (workload.ycsb) besides = "--workload";
    if (workload.keys.kind != Keys::Kind::Random) besides = "--keys";
    if (workload.distribution.is_given) besides = "--dist";
    if (workload.seed != defaults.seed) besides = "--seed";
    if (!besides.empty())
        return Error::of("--trace: expected no {} besides: a trace has its own operations and keys", besides);
    if (workload.queue == QueueKind::Shared)
        return Error(
            "--trace: expected --queue node-local or per-core: from a shared queue operations on one key could "
            "overtake each other");
    return {};
}

} // namespace

Result<void> complete_ycsb(Workload& workload) {
    if (!workload.ycsb) return {};
    if (!workload.mix.is_default()) {
        FixedText<64> mix;
        print_value(mix, workload.mix);
        return Error::of("--workload: expected no --mix besides, since it has phases of its own, got --mix {}",
                         mix.view());
    }
    workload.mix = Phases::load_and_run();
    if (!workload.distribution.is_given) workload.distribution = workload.ycsb->distribution();
    return {};
}

bool depends_on_order(Workload const& workload) {
    return workload.trace || workload.keys.kind == Keys::Kind::Repeated || ordered_phase(workload) != nullptr;
}

Result<void> check(Workload const& workload) {
    MXK_TRY(check_stride(workload));
    MXK_TRY(check_slices(workload));
    if (workload.trace) return workload.replay != nullptr ? Result<void>() : check_trace_alone(workload);
    MXK_TRY(check_repeated(workload));
    if (workload.queue != QueueKind::Shared) return {};
    if (workload.ycsb)
        return Error("--queue shared: expected no --workload, whose results depend on which core takes which "
                     "instruction (try --queue per-core)");
    Mix const* const phase = ordered_phase(workload);
    if (phase == nullptr) return {};
    FixedText<32> name;
    print_value(name, *phase);
    FixedText<32> distribution;
    print_value(distribution, workload.distribution);
    return Error::of(
        "--queue shared: expected phases whose results do not depend on which core takes which "
        "instruction (not mixed or loaded; with other keys than uniform only find), got --mix {} --dist {}",
        name.view(), distribution.view());
}

} // namespace mxk::bench
