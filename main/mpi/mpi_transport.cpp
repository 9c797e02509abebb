#include "main/mpi/mpi_transport.hpp"

#include <atomic>
#include <chrono>

namespace mxk::locks {
namespace {

WorkerNumber rank_of_process = 0;

} // namespace

WorkerNumber current_worker() {
    return rank_of_process;
}

MpiTransport::MpiTransport(mpi::World& world, WorkerNumber nodes, std::size_t region_bytes)
    : Transport(region_bytes)
    , world_(&world)
    , ranks_(world.ranks(), nodes)
    , elsewhere_(std::make_unique<Line[]>(region_bytes / cache_line_bytes)) {
    world.open_regions(nodes, region_bytes);
    rank_of_process = world.rank();
    for (WorkerNumber rank = 0; rank < world.ranks(); ++rank) {
        std::byte* const region = world.region(rank);
        regions_.push_back(region != nullptr ? region : reinterpret_cast<std::byte*>(elsewhere_.get()));
    }
    open(ranks_.view(), regions_.data());
}

std::uint64_t MpiTransport::operate(Target to, WordOperation const& operation) {
    bool const is_near = topology().node_of(to.worker) == topology().node_of(current_worker());
    ++(to.is_home ? counts_.home : is_near ? counts_.near : counts_.others);
    std::memory_order const order = operation.order;
    if (order != std::memory_order_relaxed && order != std::memory_order_acquire) world_->sync();
    mpi::Place const place{.rank = to.worker, .at = to.at};
    std::uint64_t before = 0;
    auto const fetch = [&](mpi::Atomic atomic) {
        world_->fetch(place, operation.bytes, atomic, &operation.value, &before);
    };
    switch (operation.access) {
    case WordAccess::Swap: fetch(mpi::Atomic::Replace); break;
    case WordAccess::Add: fetch(mpi::Atomic::Sum); break;
    case WordAccess::Read: fetch(mpi::Atomic::None); break;
    case WordAccess::CompareAndSwap:
        world_->compare_and_swap(place, operation.bytes, &operation.expected, &operation.value, &before);
        break;
    case WordAccess::Put:
        if (!modes_.writes_atomically) {
            world_->put(place, operation.bytes, &operation.value);
            world_->flush(to.worker);
            return 0;
        }
        [[fallthrough]];
    case WordAccess::Accumulate:
        world_->accumulate(place, operation.bytes, &operation.value);
        world_->flush(to.worker);
        return 0;
    case WordAccess::AccumulateLater:
        // Begun, at the library's pleasure: some keep it back until a flush, which nothing here asks for.
        if (later_count_ == later_.size()) complete_later(); // before a value's place is used again
        later_[later_count_] = operation.value;
        world_->accumulate(place, operation.bytes, &later_[later_count_++]);
        return 0;
    }
    if (order != std::memory_order_relaxed && order != std::memory_order_release) world_->sync();
    return before;
}

void MpiTransport::send(WorkerNumber to) {
    ++counts_.messages;
    world_->sync();
    world_->send_empty(to);
}

void MpiTransport::begin_wait() {
    if (!told_of_wait_) return;
    mpi::Place const place{.rank = told_of_wait_->worker, .at = told_of_wait_->at};
    told_of_wait_.reset();
    std::uint64_t const one = 1;
    std::uint64_t before = 0;
    world_->fetch(place, sizeof one, mpi::Atomic::Sum, &one, &before);
}

void MpiTransport::receive() {
    begin_wait();
    world_->receive_empty();
    world_->sync();
}

void MpiTransport::complete_later() {
    if (later_count_ == 0) return;
    world_->flush_all();
    later_count_ = 0;
}

void MpiTransport::progress() {
    begin_wait();
    if (modes_.completes_later) complete_later();
    if (modes_.makes_progress) world_->probe();
    world_->sync();
    if (world_->is_crowded() || ++turns_ % 64 == 0) mpi::World::pause();
}

std::uint64_t MpiTransport::nanoseconds() const {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

} // namespace mxk::locks
