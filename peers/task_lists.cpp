// Bare intrusive lists of tasks: what a worker's queue and a mailbox between workers have to be measured by. No safe
// point, no sleep, no counters.
//
// intrusive-fifo: a list that one thread appends to and takes from; first, last, nothing else: the floor for a local
// queue. mpsc-list: the plainest mailbox, with one exchange per push and no read-modify-write per pop (D. Vyukov,
// intrusive MPSC node-based queue, 2008), between threads that do nothing but send and poll.
#include <atomic>
#include <string>
#include <utility>

#include "base/spin_wait.hpp"
#include "peers/task_layer.hpp"

namespace mxk::bench {
namespace {

template <typename ItsWorker> struct alignas(cache_line_bytes) ListTask {
    using Body = void (*)(ItsWorker& worker, ListTask& task);

    explicit ListTask(Body first_body)
        : body(first_body) {}

    std::atomic<ListTask*> next = nullptr;
    Body body;
};

template <typename Task> class IntrusiveFifo {
  public:
    void append(Task& task) {
        task.next.store(nullptr, std::memory_order_relaxed); // relaxed, all: of one thread
        if (first_ == nullptr)
            first_ = &task;
        else
            last_->next.store(&task, std::memory_order_relaxed);
        last_ = &task;
    }
    // Null: empty.
    Task* take() {
        return first_ == nullptr ? nullptr : std::exchange(first_, first_->next.load(std::memory_order_relaxed));
    }

  private:
    Task* first_ = nullptr;
    Task* last_ = nullptr; // meaningless while first_ is null
};

// head -> ... -> tail, in the order of the pushes. Between the two steps of a push the list is cut behind the former
// tail, and the receiver sees its end there. It is never empty: where no other task is left, its own is in it.
template <typename Task> class MpscList {
  public:
    // Any thread.
    void push(Task& task) {
        task.next.store(nullptr, std::memory_order_relaxed);
        Task* const before = tail_.exchange(&task, std::memory_order_acq_rel);
        before->next.store(&task, std::memory_order_release); // the task's fields; pairs with behind_head()
    }

    // The receiver's thread. Null: nothing there, or a push is halfway.
    Task* pop() {
        if (head_ == &own_) {
            Task* const first = behind_head();
            if (first == nullptr) return nullptr;
            head_ = first;
        }
        if (Task* const second = behind_head()) return std::exchange(head_, second);
        if (head_ != tail_.load(std::memory_order_acquire)) return nullptr;
        push(own_); // so that the list does not become empty
        Task* const second = behind_head();
        return second != nullptr ? std::exchange(head_, second) : nullptr;
    }

  private:
    [[nodiscard]] Task* behind_head() const { return head_->next.load(std::memory_order_acquire); }

    Task own_{nullptr};
    alignas(cache_line_bytes) std::atomic<Task*> tail_{&own_}; // the senders'
    alignas(cache_line_bytes) Task* head_ = &own_;             // the receiver's
};

// Runs its tasks until there are none.
class FifoWorker {
  public:
    using Task = ListTask<FifoWorker>;

    void append(Task& task) { queue_.append(task); }
    void run() {
        while (Task* const task = queue_.take()) task->body(*this, *task);
    }

  private:
    IntrusiveFifo<Task> queue_;
};

// A layer for experiments of one core.
class FifoTasks {
  public:
    using Task = FifoWorker::Task;
    using Worker = FifoWorker;
    struct Ending {
        static void send(Worker&) {} // the queue is empty now
        [[nodiscard]] static constexpr bool wanted() { return false; }
    };

    explicit FifoTasks(CorePair cores)
        : core_(cores.first) {}

    [[nodiscard]] NodeId node() const { return workers::of(core_).node(); }
    static Ending ending() { return {}; }

    Result<void> run(Task& begin, Ending&, Shown const&) const {
        run_pinned(core_, [&] {
            Worker worker;
            worker.append(begin);
            worker.run();
        });
        return {};
    }
    static bool held() { return true; } // it has one thread

  private:
    CoreId core_;
};

// A thread with a mailbox for others' tasks, and a list for its own.
class ListWorker {
  public:
    using Task = ListTask<ListWorker>;

    explicit ListWorker(CoreId core)
        : thread_(core, [this] { run(); }) {}
    ListWorker(ListWorker const&) = delete;
    ListWorker& operator=(ListWorker const&) = delete;
    ~ListWorker() { stopped_.store(true, std::memory_order_release); }

    // Its own thread.
    void append(Task& task) { own_.append(task); }
    void when_idle(Task& task) { own_.append(task); }
    void append(Task& task, ListWorker* target) { target == this ? own_.append(task) : target->post(task); }

    // Any thread.
    void post(Task& task) { mailbox_.push(task); }

  private:
    void run() {
        for (SpinWait wait; !stopped_.load(std::memory_order_acquire);) {
            bool const received = receive_some();
            if (Task* const task = own_.take())
                task->body(*this, *task);
            else if (!received)
                wait.turn();
            if (received) wait = {};
        }
    }
    // As many as a sender of a stream sends at once.
    bool receive_some() {
        for (unsigned done = 0; done < StreamSender::burst; ++done) {
            Task* const task = mailbox_.pop();
            if (task == nullptr) return done > 0;
            task->body(*this, *task);
        }
        return true;
    }

    MpscList<Task> mailbox_;
    IntrusiveFifo<Task> own_;
    std::atomic<bool> stopped_{false};
    PinnedThread thread_; // the last: it uses all of the others
};

struct ListTasks : TwoWorkers<ListWorker> {
    static constexpr bool keeps_order = true;
    using TwoWorkers::TwoWorkers;
};

std::string library() {
    return "an intrusive list; gcc " __VERSION__;
}

constexpr TaskPeer intrusive_fifo{.name = "intrusive-fifo",
                                  .library = &library,
                                  .measures = {Measure::Local},
                                  .run = [](Measure, CorePair cores, TaskOptions const& options) {
                                      FifoTasks layer(cores);
                                      return run_local(layer, options);
                                  }};
constexpr TaskPeer mpsc_list{.name = "mpsc-list",
                             .library = &library,
                             .measures = {Measure::Stream, Measure::Mail},
                             .run = [](Measure measure, CorePair cores, TaskOptions const& options) {
                                 ListTasks layer(cores);
                                 return measure == Measure::Mail ? run_mail(layer, options)
                                                                 : run_stream(layer, options);
                             }};
MXK_REGISTER(mxk_task_peers, TaskPeer, intrusive_fifo);
MXK_REGISTER(mxk_task_peers, TaskPeer, mpsc_list);

} // namespace
} // namespace mxk::bench
