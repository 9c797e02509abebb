// Streams of empty tasks from one core to another; only word of how far the receiver is comes back. The sender is a
// task that sends some and appends itself again, so that its worker has its turn between; where it has to wait for the
// receiver it asks to be called when its core is idle. The tasks are those of a pool. The sender writes each of them
// anew before it sends it, as it must with any task that says something. One round of the pool is not timed: it brings
// the tasks into the caches and wakes the receiver.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/task/own_tasks.hpp"
#include "bench/task/task_options.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// The two ends of a stream of tasks, for `bench task` and its peers: how the sender may use tasks again of which it has
// a limited number, and how the receiver sees that none is lost, doubled or overtaken. What goes the other way is one
// word, written once per eighth of the tasks, so that the stream is what is measured.

// What the sender writes into each task before it sends it.
struct StreamLabel {
    std::uint64_t number = 0; // from 0, never again the same
    bool announced = false;   // the receiver is to publish that it has come so far
};

// The receiver's; its core alone calls what is not const.
class alignas(cache_line_bytes) StreamReceiver {
  public:
    // A task of a stream that keeps its order runs.
    void take(StreamLabel const& label) {
        if (label.number != due_) ++wrong_;
        ++due_;
        if (label.announced) announce();
    }
    // One of a stream that promises no order: whichever it is, their number is known.
    void count() {
        ++due_;
        announce();
    }
    void complain() { ++wrong_; }

    // How many have run, as far as it was announced: what they were may be used again. Any core.
    [[nodiscard]] std::uint64_t ran() const { return ran_.load(std::memory_order_acquire); } // pairs with announce()
    // When the stream is over.
    [[nodiscard]] bool verified(std::uint64_t sent) const { return wrong_ == 0 && due_ == sent && ran() == sent; }

  private:
    // release: a sender that knows that a task has run may write it
    void announce() { ran_.store(due_, std::memory_order_release); }

    std::uint64_t due_ = 0; // the number of the task that must come next
    std::uint64_t wrong_ = 0;
    alignas(cache_line_bytes) std::atomic<std::uint64_t> ran_{0}; // its own line: the sender reads it
};

// The sender's.
class StreamSender {
  public:
    static constexpr std::uint64_t burst = 64; // tasks that are sent without a rest between

    // `pool`: of how many tasks the sender has the use, and so how many are under way up to.
    StreamSender(std::uint32_t pool, StreamReceiver const& receiver)
        : receiver_(receiver)
        , pool_(pool)
        , announced_every_(std::max(pool / 8, std::uint32_t{1}))
        , until_announced_(announced_every_) {}

    // How many to send from now on.
    void send_more(std::uint64_t tasks) { total_ += tasks; }
    // Not so many after all: one more up to.
    void stop() { total_ = std::min(total_, sent_ + 1); }

    // How many may be sent now, without a rest: up to `burst`. 0: the others have to run first.
    std::uint64_t room() {
        if (sent_ - ran_ == pool_ || sent_ == total_) ran_ = receiver_.ran();
        return std::min({burst, pool_ - (sent_ - ran_), total_ - sent_});
    }
    // Everything was sent and has run, as room() saw it.
    [[nodiscard]] bool finished() const { return ran_ == total_; }

    // Which task of the pool goes next, and with which label.
    [[nodiscard]] std::uint32_t place() const { return place_; }
    StreamLabel next() {
        place_ = place_ + 1 == pool_ ? 0 : place_ + 1;
        StreamLabel label{sent_++, --until_announced_ == 0 || sent_ == total_};
        if (until_announced_ == 0) until_announced_ = announced_every_;
        return label;
    }

  private:
    StreamReceiver const& receiver_;
    std::uint32_t pool_;
    std::uint32_t announced_every_;
    std::uint32_t until_announced_;
    std::uint32_t place_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t ran_ = 0; // that is known of
};

template <typename Layer> class Stream;

template <typename Layer> struct StreamRun : Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

    StreamRun(Layer const& layer, std::uint64_t its_pool, std::uint64_t its_operations)
        : Task(&StreamRun::begin)
        , ending(layer.ending())
        , home(layer.first())
        , pool(its_pool)
        , operations(its_operations) {}

    static void begin(Worker& worker, Task& task) {
        auto& run = static_cast<StreamRun&>(task);
        run.send(worker, run.pool);
    }
    // Lets all streams send so many tasks more.
    void send(Worker& worker, std::uint64_t tasks) {
        under_way = streams.size();
        for (Stream<Layer>& stream : streams) stream.send(worker, tasks);
    }
    // One of the streams has sent all, and all have run.
    void arrived(Worker& worker) {
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

    typename Layer::Ending ending;
    typename Layer::Place home; // the first core
    std::uint64_t pool;         // tasks of each stream
    std::uint64_t operations;   // of each stream
    std::span<Stream<Layer>> streams{};

    // What follows is the first core's.
    std::size_t under_way = 0; // streams
    bool warm = false;
    Cycles start{};
    Cycles end{};
};

template <typename Layer> class StreamTask : public Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

  public:
    StreamTask(StreamReceiver& receiver, typename Layer::Place expected)
        : Task(&StreamTask::work)
        , receiver_(receiver)
        , expected_(expected) {}

    StreamLabel label{};

  private:
    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<StreamTask&>(task);
        if (!Layer::runs_at(worker, self.expected_)) self.receiver_.complain();
        // The last thing: once it is announced, the sender may write the task. Where no order is promised, the label
        // may be that of a later sending already, and is not looked at.
        if constexpr (Layer::keeps_order)
            self.receiver_.take(self.label);
        else
            self.receiver_.count();
    }

    StreamReceiver& receiver_;
    typename Layer::Place expected_;
};

// The task that sends. It comes to the first core when all that it sent has run.
template <typename Layer> class Stream : public Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;
    using Place = typename Layer::Place;

  public:
    // The pool is made after it.
    Stream(StreamRun<Layer>& run, Place from, Place to, std::span<StreamTask<Layer>> pool)
        : Task(&Stream::send_some)
        , run_(run)
        , from_(from)
        , to_(to)
        , pool_(pool)
        , sender_(static_cast<std::uint32_t>(pool.size()), receiver_) {}

    void send(Worker& worker, std::uint64_t tasks) {
        sender_.send_more(tasks);
        this->body = &Stream::send_some;
        worker.append(*this, from_);
    }
    StreamReceiver& receiver() { return receiver_; }
    [[nodiscard]] StreamReceiver const& receiver() const { return receiver_; }

  private:
    static void send_some(Worker& worker, Task& task) {
        auto& self = static_cast<Stream&>(task);
        if (self.run_.ending.wanted()) self.sender_.stop();
        std::uint64_t const room = self.sender_.room();
        for (std::uint64_t i = 0; i < room; ++i) {
            StreamTask<Layer>& next = self.pool_[self.sender_.place()];
            StreamLabel const label = self.sender_.next();
            if constexpr (Layer::keeps_order) next.label = label;
            worker.append(next, self.to_);
        }
        if (self.sender_.finished()) {
            task.body = &Stream::arrive;
            return worker.append(task, self.run_.home);
        }
        if (room > 0) {
            self.wait_ = {};
            return worker.append(task);
        }
        self.wait_.turn(); // the receiver may need the processor
        worker.when_idle(task);
    }
    static void arrive(Worker& worker, Task& task) { static_cast<Stream&>(task).run_.arrived(worker); }

    StreamRun<Layer>& run_;
    Place from_;
    Place to_;
    std::span<StreamTask<Layer>> pool_;
    StreamSender sender_;
    SpinWait wait_;
    StreamReceiver receiver_;
};

// One stream, or one in each direction.
template <typename Layer> Result<Sample> run_streams(std::size_t count, Layer& layer, TaskOptions const& options) {
    static_assert(sizeof(StreamTask<Layer>) == cache_line_bytes, "a task of a stream is one line");
    std::size_t const pool = options.pool;
    std::uint64_t const operations = (options.operations + count - 1) / count;
    auto tasks = MXK_TRY(NodeVector<StreamTask<Layer>>::create(count * pool, layer.node()));
    auto streams = MXK_TRY(NodeVector<Stream<Layer>>::create(count, layer.node()));
    StreamRun<Layer> run(layer, pool, operations);
    for (std::size_t i = 0; i < count; ++i) {
        auto const from = i == 0 ? layer.first() : layer.second();
        auto const to = i == 0 ? layer.second() : layer.first();
        Stream<Layer>& stream = streams.emplace(run, from, to, std::span(tasks.end(), pool));
        for (std::size_t task = 0; task < pool; ++task) tasks.emplace(stream.receiver(), to);
    }
    run.streams = streams.span();

    auto const done = [](void const* it) {
        std::size_t sum = 0;
        for (auto const& stream : static_cast<StreamRun<Layer> const*>(it)->streams) sum += stream.receiver().ran();
        return sum;
    };
    std::string_view const what = count == 1 ? "stream" : "mail";
    MXK_TRY(layer.run(run, run.ending, {what, count * (pool + operations), done, &run}));
    bool const verified = std::all_of(streams.begin(), streams.end(), [&](Stream<Layer> const& stream) {
        return stream.receiver().verified(pool + operations);
    });
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(operations),
                  .operations = count * operations,
                  .verified = verified && layer.held()};
}

// Tasks stream from the first core to the second, of which up to `pool` are under way. Cycles per task, from the first
// sending until the first core knows that the last one has run. Errors: no memory, and those of Layer::run(). The
// console's task; blocks it until the run is over.
template <typename Layer> Result<Sample> run_stream(Layer& layer, TaskOptions const& options) {
    return run_streams(1, layer, options);
}

// The same in both directions at once. Cycles per task that a core sends and takes in.
template <typename Layer> Result<Sample> run_mail(Layer& layer, TaskOptions const& options) {
    return run_streams(2, layer, options);
}

} // namespace mxk::bench
