#include "tasks/fork/fork_core.hpp"

#include <algorithm>

#include "arch/attention.hpp"
#include "base/inject.hpp"
#include "base/spin_wait.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/fork/fork_frame.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

// By core; they lie on the cores' nodes.
constinit std::span<ForkCore*> all{};

// The last cache that is known of the first core is the other one's, too.
bool share_last_cache(topology::Core const& from, topology::Core const& to) {
    for (std::size_t level = CoreLevels::cache_levels; level-- > 0;)
        if (std::uint32_t const domain = from.levels.caches[level].domain; domain != unknown_domain)
            return domain == to.levels.caches[level].domain;
    return false;
}
StealDistance distance(topology::Core const& from, topology::Core const& to) {
    if (from.node != to.node) return StealDistance::Beyond;
    return share_last_cache(from, to) ? StealDistance::Cache : StealDistance::Node;
}

} // namespace

alignas(cache_line_bytes) constinit SleepCount ForkCore::sleepers_{};
constinit std::atomic<std::uint32_t> ForkCore::scopes_{0};

Result<void> ForkCore::create(topology::Topology const& topology) {
    std::size_t const count = topology.cores.size();
    memory::Block const table = MXK_TRY(memory::allocate(count * sizeof(ForkCore*), alignof(ForkCore*), node_id(0)));
    auto* const places = reinterpret_cast<ForkCore**>(table.address);
    for (topology::Core const& core : topology.cores) {
        auto others = MXK_TRY(NodeArray<std::uint16_t>::create(count - 1, core.node));
        std::size_t size = 0;
        std::array<std::size_t, 2> ends{};
        for (auto const wanted : {StealDistance::Cache, StealDistance::Node, StealDistance::Beyond}) {
            // Each begins behind its own number, so that not all look at the same core first.
            for (std::size_t i = 1; i < count; ++i) {
                topology::Core const& other = topology.cores[(index(core.id) + i) % count];
                if (distance(core, other) == wanted) others[size++] = static_cast<std::uint16_t>(index(other.id));
            }
            if (wanted != StealDistance::Beyond) ends[static_cast<std::size_t>(wanted)] = size;
        }
        memory::Block const place = MXK_TRY(memory::allocate(sizeof(ForkCore), alignof(ForkCore), core.node));
        Worker& worker = workers::of(core.id);
        auto* const made = new (static_cast<void*>(place.address))
            ForkCore(worker, static_cast<std::uint32_t>(index(core.id)), std::move(others));
        made->ends_ = ends;
        places[index(core.id)] = made;
        worker.set_forks(made);
    }
    all = {places, count};
    return {};
}

// Their memory goes with the nodes'.
void ForkCore::forget() {
    all = {};
    sleepers_.reset();
    scopes_.store(0, std::memory_order_relaxed);
}

void ForkCore::limit_to(std::span<CoreId const> cores) {
    for (ForkCore* const core : all) {
        bool const is_barred = !cores.empty() && std::ranges::find(cores, core_id(core->number_)) == cores.end();
        // seq_cst: with begin_sleep(). A core that sleeps and may not steal does not count; one that may looks again,
        // since others that do not may have been woken in its place.
        core->is_barred_.store(is_barred, std::memory_order_seq_cst);
        is_barred ? static_cast<void>(sleepers_.end(core->is_asleep_)) : arch::wake(core_id(core->number_));
    }
}

// Not what is below others on its stack, nor beyond limit_to().
// relaxed: a wish, which orders nothing
bool ForkCore::may_steal() const {
    return depth_ == 0 && !is_barred_.load(std::memory_order_relaxed);
}

void ForkCore::execute(ForkJob& job, std::uint32_t victim) {
    ++depth_;
    bool const is_detached = job.state_.load(std::memory_order_relaxed) == ForkJob::detached;
    if (is_detached) {
        OwnFrames const frames(*this);
        job.run(*this);
    } else {
        // relaxed: who joins it looks at our deque then, which orders by itself
        job.state_.store(number_ + 1, std::memory_order_relaxed);
        inject::point();
        job.run(*this);
    }
    --depth_;
    std::size_t const at = static_cast<std::size_t>(std::find(others_.span().begin(), others_.span().end(), victim) -
                                                    others_.span().begin());
    steals_[at < ends_[0] ? 0 : at < ends_[1] ? 1 : 2].add(1);
    // release: with the joiner's acquire. The job may be gone then.
    if (!is_detached) job.state_.store(ForkJob::done, std::memory_order_release);
}

template <typename StillWanted> bool ForkCore::steal_from(std::uint32_t victim, StillWanted still_wanted) {
    ForkJob* const job = all[victim]->deque_.steal(still_wanted);
    if (job == nullptr) return false;
    execute(*job, victim);
    return true;
}

void ForkCore::wait_for(ForkJob& job) {
    for (SpinWait wait;;) {
        if (worker_ != nullptr) worker_->flush_if_needed(); // what is waited for may wait for a task that was sent
        std::uint32_t const state = job.state_.load(std::memory_order_acquire);
        if (state == ForkJob::done) return;
        // What the thief has forked is part of what is waited for, as long as it is not done.
        auto const still_runs = [&job, state] { return job.state_.load(std::memory_order_acquire) == state; };
        if (state != ForkJob::waiting && steal_from(state - 1, still_runs)) {
            wait = {};
            continue;
        }
        attend();
        wait.turn();
    }
}

void ForkCore::run_frames(ForkFrame& first) {
    expect(next_frame_ == nullptr, "a core runs one coroutine at a time");
    constexpr std::uint32_t frames_between = 256; // from one look at what others want to the next
    std::uint32_t left = frames_between;
    for (ForkFrame* frame = &first; frame != nullptr; frame = std::exchange(next_frame_, nullptr)) {
        frame->run_here();
        if (--left != 0) [[likely]]
            continue;
        attend();
        left = frames_between;
    }
}

// A core that waits has an empty deque: what it waits for was stolen, and with it all that is older. So no core waits
// for one that only waits.
void ForkCore::run_to_end(ForkFrame& frame, std::atomic<bool> const& is_done) {
    constexpr std::uint32_t deepest = 4; // each may begin another wait: the core's stack ends
    run_frames(frame);
    ++waits_;
    for (SpinWait wait; !is_done.load(std::memory_order_acquire);) {
        worker_->flush_if_needed();
        if (waits_ < deepest && !is_barred_.load(std::memory_order_relaxed) && steal_from_any()) {
            wait = {};
            continue;
        }
        attend();
        wait.turn();
    }
    --waits_;
}

FrameStack* ForkCore::take_spare() {
    --spare_count_;
    return std::exchange(spare_frames_, spare_frames_->next);
}
void ForkCore::give_back(FrameStack& frames) {
    constexpr std::uint32_t kept = 16;
    if (spare_count_ == kept) return frames.destroy();
    expect(frames.is_empty(), "a stack of frames is empty when it is given back");
    frames.drop_spare();
    ++spare_count_;
    frames.next = std::exchange(spare_frames_, &frames);
}

bool ForkCore::run(Worker& /*worker*/) {
    // relaxed: a hint; who goes to sleep looks again
    if (!may_steal() || scopes_.load(std::memory_order_relaxed) == 0) return false;
    return steal_from_any();
}

bool ForkCore::steal_from_any() {
    for (std::uint16_t const other : others_.span()) {
        if (!all[other]->deque_.looks_empty() && steal_from(other, [] { return true; })) return true;
    }
    return false;
}

// One core each time, so that those that work are not looked at all the time.
bool ForkCore::has_work() {
    if (!may_steal() || scopes_.load(std::memory_order_relaxed) == 0 || others_.size() == 0) return false;
    next_ = next_ + 1 < others_.size() ? next_ + 1 : 0;
    return !all[others_[next_]]->deque_.looks_empty();
}

bool ForkCore::is_any_left() const {
    return std::any_of(others_.span().begin(), others_.span().end(),
                       [](std::uint16_t other) { return !all[other]->deque_.is_empty(); });
}

bool ForkCore::begin_sleep() {
    if (is_barred_.load(std::memory_order_relaxed)) return true;
    sleepers_.begin(is_asleep_);
    inject::point();
    if (is_barred_.load(std::memory_order_seq_cst)) [[unlikely]] { // behind begin(): limit_to() sees us, or we see it
        end_sleep();
        return true;
    }
    if (depth_ != 0 || !is_any_left()) return true; // waits for something else below: it does not steal
    end_sleep();
    return false;
}

void ForkCore::end_sleep() {
    sleepers_.end(is_asleep_);
}

void ForkCore::wake_one() {
    for (std::uint16_t const other : others_.span())
        if (sleepers_.end(all[other]->is_asleep_)) return arch::wake(core_id(other));
}

} // namespace mxk
