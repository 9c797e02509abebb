#include "bench/workload/workload.hpp"

#include "base/format.hpp"

namespace mxk::bench {
namespace {

// Whether an operation's result depends on which other ones came before.
bool depends_on_order(Mix const& phase, Distribution const& distribution) {
    if (phase.kind == Mix::Kind::Mixed) return true;
    return phase.kind != Mix::Kind::Find && !distribution.is_uniform();
}

Result<void> check_stride(Workload const& workload) {
    std::uint64_t const most = Keys::largest / workload.operations;
    if (workload.keys.kind != Keys::Kind::Strided || workload.keys.stride <= most) return {};
    return Error::of("--keys strided:N: expected N of up to {}, so that {} keys fit in 64 bits, got {}", most,
                     workload.operations, workload.keys.stride);
}

} // namespace

Result<void> check(Workload const& workload) {
    MXK_TRY(check_stride(workload));
    if (workload.queue != QueueKind::Shared) return {};
    for (Mix const& phase : workload.mix.list()) {
        if (!depends_on_order(phase, workload.distribution)) continue;
        FixedText<32> name;
        print_value(name, phase);
        FixedText<32> distribution;
        print_value(distribution, workload.distribution);
        return Error::of("--queue shared: expected phases whose results do not depend on which core takes which "
                         "instruction (not mixed; with zipf only find), got --mix {} --dist {}",
                         name.view(), distribution.view());
    }
    return {};
}

} // namespace mxk::bench
