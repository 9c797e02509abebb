#include "bench/thread/own_threads.hpp"

#include <utility>

namespace mxk::bench {

void OwnThreads::ThreadTeam::Member::operator()() const {
    team.gate_.wait();
    if (!team.open_.load(std::memory_order_relaxed)) return; // the gate orders it
    call(body);
    // acq_rel: the last one has all that the others have written, and so has who receives the ending
    if (team.running_.fetch_sub(1, std::memory_order_acq_rel) == 1) send_task(team.ending_, team.ending_.home);
}

OwnThreads::ThreadTeam::ThreadTeam(OwnThreads const& layer, Room members)
    : layer_(layer)
    , members_(std::move(members))
    , ending_(Worker::current().core()) {}

OwnThreads::ThreadTeam::~ThreadTeam() {
    if (open_.load(std::memory_order_relaxed)) return;
    for (std::size_t i = 0; i < members_.size(); ++i) gate_.post();
    for (Member& member : members_) member.thread.reset(); // joins
}

Result<void> OwnThreads::ThreadTeam::start(CoreId core, void (*call)(void*), void* body) {
    Member& member = members_.emplace(*this, call, body);
    ThreadOptions const options{.core = core, .name = "bench", .slice = layer_.slice};
    member.thread.emplace(MXK_TRY(Thread::create(options, member)));
    return {};
}

Result<void> OwnThreads::ThreadTeam::run(std::string_view what, std::size_t total, Progress::Count count,
                                         void const* context) {
    layer_.progress.phase(what, total, count, context);
    running_.store(members_.size(), std::memory_order_relaxed); // both: published by the gate
    open_.store(true, std::memory_order_relaxed);
    for (std::size_t i = 0; i < members_.size(); ++i) gate_.post();
    auto const ended = ending_.await(layer_.progress);
    for (Member& member : members_) member.thread.reset(); // about to end; joins
    layer_.progress.phase({}, 0, nullptr, nullptr);        // `context` is the caller's
    return ended;
}

} // namespace mxk::bench
