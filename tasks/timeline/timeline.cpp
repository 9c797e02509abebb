#include "tasks/timeline/timeline.hpp"

#include <new>
#include <span>

#include "kernel/memory/memory.hpp"
#include "tasks/run_on.hpp"
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

template <typename Function> void run_on_all(Function step) {
    recording->tasks.run([&step](Worker& worker, std::size_t core) {
        step(worker, recording->cores[core]);
        return Step::Done;
    });
}
Result<CoreTasks> tasks_of_all_cores() {
    auto ids = MXK_TRY(NodeVector<CoreId>::create(workers::count(), Worker::current().node()));
    for (std::size_t i = 0; i < workers::count(); ++i) ids.emplace(core_id(i));
    return CoreTasks::create(ids.span());
}

} // namespace

Result<void> start(std::size_t events) {
    MXK_TRY(expect_stopped());
    forget();
    auto cores = make_room(events);
    if (!cores)
        return Error::of("expected memory for {} events of {} bytes on each of {} cores: {}", events,
                         sizeof(TimelineEvent), workers::count(), cores.error().message());
    auto tasks = MXK_TRY(tasks_of_all_cores());
    place = MXK_TRY(memory::allocate(sizeof(Recording), alignof(Recording), Worker::current().node()));
    auto const id = static_cast<std::uint32_t>(raw(clock::timestamp()) >> 8);
    recording = new (static_cast<void*>(place.address)) Recording{id, std::move(cores).value(), std::move(tasks)};
    run_on_all([](Worker& worker, CoreTimeline& timeline) {
        timeline.start(worker.statistics().idle.value(), worker.is_inside_body());
        worker.record_to(&timeline);
    });
    is_running = true;
    return {};
}

Result<void> stop() {
    if (!is_running) return Error("expected 'trace on' before: no timeline is being recorded");
    run_on_all([](Worker& worker, CoreTimeline& timeline) {
        worker.record_to(nullptr);
        timeline.stop(worker.statistics().idle.value());
    });
    is_running = false;
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
