// Streams of empty tasks from one core to another, and nothing comes back but word of how far the receiver is. The
// sender is a task that sends some and appends itself again, so that its worker has its turn between; where it has to
// wait for the receiver it asks to be called when its core is idle. The tasks are those of a pool, written anew by the
// sender each time: a task that says anything has to be. One round of the pool is not timed: it brings the tasks into
// the caches and wakes the receiver.
#include <algorithm>

#include "base/spin_wait.hpp"
#include "bench/task/task_experiment.hpp"
#include "bench/task/task_stream_ends.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

class Stream;
class StreamTask;

struct StreamRun {
    Ending ending;
    CorePair cores;
    std::uint64_t operations; // of each stream
    std::span<Stream> streams{};

    // What follows is the first core's.
    std::size_t under_way = 0; // streams
    bool warm = false;
    Cycles start{};
    Cycles end{};

    // Lets all streams send so many tasks more. The first core, but for the first time, or whoever made the run.
    void send(Worker& worker, std::uint64_t tasks);
    void arrived(Worker& worker);
};

// The task that sends. It comes to the first core when all that it sent has run.
class Stream : public Task {
  public:
    // The pool is made after it.
    Stream(StreamRun& run, CorePair way, std::span<StreamTask> pool);

    void send(Worker& worker, std::uint64_t tasks) {
        sender_.send_more(tasks);
        body = &Stream::send_some;
        worker.append(*this, way_.first);
    }
    StreamReceiver& receiver() { return receiver_; }
    [[nodiscard]] StreamReceiver const& receiver() const { return receiver_; }

  private:
    static void send_some(Worker& worker, Task& task);
    static void arrive(Worker& worker, Task& task) { static_cast<Stream&>(task).run_.arrived(worker); }

    StreamRun& run_;
    CorePair way_;
    std::span<StreamTask> pool_;
    StreamSender sender_;
    SpinWait wait_;
    StreamReceiver receiver_;
};

class StreamTask : public Task {
  public:
    StreamTask(StreamReceiver& receiver, CoreId expected_core)
        : Task(&StreamTask::work)
        , receiver_(receiver)
        , expected_(expected_core) {}

    StreamLabel label{};

  private:
    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<StreamTask&>(task);
        if (worker.core() != self.expected_) self.receiver_.complain();
        self.receiver_.take(self.label); // the last: once it is announced, the sender may write the task
    }

    StreamReceiver& receiver_;
    CoreId expected_;
};
static_assert(sizeof(StreamTask) == cache_line_bytes, "a task of a stream is one line");

Stream::Stream(StreamRun& run, CorePair way, std::span<StreamTask> pool)
    : Task(&Stream::send_some)
    , run_(run)
    , way_(way)
    , pool_(pool)
    , sender_(static_cast<std::uint32_t>(pool.size()), receiver_) {}

void Stream::send_some(Worker& worker, Task& task) {
    auto& self = static_cast<Stream&>(task);
    if (self.run_.ending.wanted()) self.sender_.stop();
    std::uint64_t const room = self.sender_.room();
    for (std::uint64_t i = 0; i < room; ++i) {
        StreamTask& next = self.pool_[self.sender_.place()];
        next.label = self.sender_.next();
        worker.append(next, self.way_.second);
    }
    if (self.sender_.finished()) {
        task.body = &Stream::arrive;
        return worker.append(task, self.run_.cores.first);
    }
    if (room > 0) {
        self.wait_ = {};
        return worker.append(task);
    }
    self.wait_.turn(); // the receiver may need the processor
    worker.when_idle(task);
}

void StreamRun::send(Worker& worker, std::uint64_t tasks) {
    under_way = streams.size();
    for (Stream& stream : streams) stream.send(worker, tasks);
}

void StreamRun::arrived(Worker& worker) {
    Cycles const now = clock::timestamp();
    if (--under_way > 0) return;
    if (warm || ending.wanted()) {
        end = now;
        return ending.send(worker);
    }
    warm = true;
    start = now;
    send(worker, operations);
}

std::size_t tasks_done(void const* run) {
    std::size_t done = 0;
    for (Stream const& stream : static_cast<StreamRun const*>(run)->streams) done += stream.receiver().ran();
    return done;
}

// One stream, or one in each direction.
Result<Sample> run_streams(std::size_t count, CorePair cores, TaskOptions const& options, Progress& progress) {
    Worker& here = Worker::current();
    NodeId const node = workers::of(cores.first).node();
    std::size_t const pool = options.pool;
    std::uint64_t const operations = (options.operations + count - 1) / count;
    auto tasks = MXK_TRY(NodeVector<StreamTask>::create(count * pool, node));
    auto streams = MXK_TRY(NodeVector<Stream>::create(count, node));
    StreamRun run{.ending = Ending(here.core()), .cores = cores, .operations = operations};
    for (std::size_t i = 0; i < count; ++i) {
        CorePair const way = i == 0 ? cores : CorePair{cores.second, cores.first};
        Stream& stream = streams.emplace(run, way, std::span(tasks.end(), pool));
        for (std::size_t task = 0; task < pool; ++task) tasks.emplace(stream.receiver(), way.second);
    }
    run.streams = streams.span();

    progress.phase(count == 1 ? "stream" : "mail", count * (pool + operations), &tasks_done, &run);
    run.send(here, pool);
    MXK_TRY(run.ending.await(progress));
    bool const verified = std::all_of(streams.begin(), streams.end(), [&](Stream const& stream) {
        return stream.receiver().verified(pool + operations);
    });
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(operations),
                  .operations = count * operations,
                  .verified = verified};
}

} // namespace

Result<Sample> run_stream(CorePair cores, TaskOptions const& options, Progress& progress) {
    return run_streams(1, cores, options, progress);
}

Result<Sample> run_mail(CorePair cores, TaskOptions const& options, Progress& progress) {
    return run_streams(2, cores, options, progress);
}

} // namespace mxk::bench
