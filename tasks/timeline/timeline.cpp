#include "tasks/timeline/timeline.hpp"

#include <new>
#include <span>

#include "kernel/memory/memory.hpp"
#include "tasks/parallel.hpp"
#include "tasks/workers.hpp"

namespace mxk::timeline {
namespace {

// Made by start(), in memory of its own: what is static would be destroyed when the memory of nodes is gone already.
constinit memory::Block place{};
constinit Recording* recording = nullptr;
constinit bool is_running = false;

Result<void> expect_stopped() {
    if (is_running) return Error("expected 'trace off' before: the timeline is being recorded");
    return {};
}

void forget() {
    if (recording == nullptr) return;
    recording->~Recording();
    recording = nullptr;
    memory::free(place);
}

Result<PerCore<CoreTimeline>> make_room(std::size_t events) {
    auto cores = MXK_TRY(PerCore<CoreTimeline>::with_room(workers::count(), Worker::current().node()));
    for (std::size_t i = 0; i < workers::count(); ++i) {
        NodeId const node = workers::of(core_id(i)).node();
        auto ring = MXK_TRY(NodeArray<TimelineEvent>::create(events, node));
        auto const added = cores.add(node, std::move(ring));
        if (!added) return added.error();
    }
    return cores;
}

// `step` on every core. False: no memory for the tasks, and nothing has run.
template <typename Function> bool run_on_all(Function step) {
    auto ids = NodeVector<CoreId>::create(workers::count(), Worker::current().node());
    if (!ids) return false;
    for (std::size_t i = 0; i < workers::count(); ++i) ids.value().emplace(core_id(i));
    return run_on(ids.value().span(), [&step](Worker& worker, std::size_t core) {
        step(worker, recording->cores[core]);
        return Step::Done;
    });
}

} // namespace

Result<void> start(std::size_t events) {
    MXK_TRY(expect_stopped());
    forget();
    auto cores = make_room(events);
    if (!cores)
        return Error::of("expected memory for {} events of {} bytes on each of {} cores: {}", events,
                         sizeof(TimelineEvent), workers::count(), cores.error().message());
    place = MXK_TRY(memory::allocate(sizeof(Recording), alignof(Recording), Worker::current().node()));
    auto const id = static_cast<std::uint32_t>(raw(clock::timestamp()) >> 8);
    recording = new (static_cast<void*>(place.address)) Recording{id, std::move(cores).value()};
    is_running = run_on_all([](Worker& worker, CoreTimeline& timeline) {
        timeline.start(worker.statistics().idle.value(), worker.is_inside_body());
        worker.record_to(&timeline);
    });
    if (is_running) return {};
    forget();
    return Error("out of memory: no room for the tasks that begin a timeline");
}

Result<void> stop() {
    if (!is_running) return Error("expected 'trace on' before: no timeline is being recorded");
    is_running = !run_on_all([](Worker& worker, CoreTimeline& timeline) {
        worker.record_to(nullptr);
        timeline.stop(worker.statistics().idle.value());
    });
    if (is_running) return Error("out of memory: no room for the tasks that end a timeline");
    return {};
}

Result<Recording const*> finished() {
    MXK_TRY(expect_stopped());
    if (recording == nullptr) return Error("expected 'trace on' and 'trace off' before: nothing was recorded");
    return static_cast<Recording const*>(recording);
}

Result<void> clear() {
    MXK_TRY(expect_stopped());
    forget();
    return {};
}

} // namespace mxk::timeline
