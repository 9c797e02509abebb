#include "bench/rcu/podzimek_rcu.hpp"

#include "arch/nest.hpp"
#include "base/lock.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

Result<void> PodzimekRcu::prepare(std::span<CoreId const> cores) {
    readers_ = MXK_TRY(NodeVector<Reader>::create(cores.size(), Worker::current().node()));
    for (CoreId const core : cores) readers_.emplace(*this, core);
    return {};
}

Result<void> PodzimekRcu::synchronize(bool is_expedited) {
    LockGuard const guard(mutex_);
    std::uint64_t const number = begun_.load(std::memory_order_relaxed) + 1;
    begun_.store(number, std::memory_order_seq_cst);
    constexpr Nanoseconds time_to_record{10'000'000};
    if (!is_expedited) MXK_TRY(this_thread::sleep_for(time_to_record));
    std::size_t delaying = 0;
    for (Reader& reader : readers_) delaying += reader.holds_up(number) ? 1U : 0U;
    for (; delaying != 0; --delaying) left_.wait();
    return {};
}

// is_awaited_ is taken back once, by the thread or by the detector, and only the thread says so.
void PodzimekRcu::Reader::end_wait() {
    if (is_awaited_.exchange(false, std::memory_order_acq_rel)) rcu_.left_.post();
}

// Whether it will say when it has left. After each question the core has executed a full barrier: either the section
// that it was in is seen, or it finds unlinked what was; then, either it sees that it is awaited, or it is seen to have
// left.
bool PodzimekRcu::Reader::holds_up(std::uint64_t number) {
    if (seen_.load(std::memory_order_acquire) == number) return false;
    [[maybe_unused]] bool answer = arch::nests::ask(core_);
    if (!is_inside()) return false;
    is_awaited_.store(true, std::memory_order_release);
    answer = arch::nests::ask(core_);
    return is_inside() || !is_awaited_.exchange(false, std::memory_order_acq_rel);
}

} // namespace mxk::bench
