// The plainest mailbox: an intrusive list with one exchange per push and no read-modify-write per pop (D. Vyukov,
// intrusive MPSC node-based queue, 2008), between threads that do nothing but send and poll. No safe point, no sleep,
// no other tasks: what a mailbox between workers has to be measured by.
#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "base/spin_wait.hpp"
#include "bench/peers/task_peer.hpp"
#include "bench/peers/task_threads.hpp"
#include "bench/task/task_stream_ends.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

struct alignas(cache_line_bytes) ListTask {
    std::atomic<ListTask*> next = nullptr;
    void (*body)(ListTask& self) = nullptr;
    StreamReceiver* receiver = nullptr;
    StreamLabel label{};
};
static_assert(sizeof(ListTask) == cache_line_bytes);

// head -> ... -> tail, in the order of the pushes. Between the two steps of a push the list is cut behind the former
// tail, and whoever pops sees its end there. It is never empty: where no other task is left, its own is in it.
class MpscList {
  public:
    // Any thread.
    void push(ListTask& task) {
        task.next.store(nullptr, std::memory_order_relaxed);
        ListTask* const before = tail_.exchange(&task, std::memory_order_acq_rel);
        before->next.store(&task, std::memory_order_release); // the task's fields; pairs with behind_head()
    }

    // The receiver's thread. Null: nothing there, or a push is halfway.
    ListTask* pop() {
        if (head_ == &own_) {
            ListTask* const first = behind_head();
            if (first == nullptr) return nullptr;
            head_ = first;
        }
        if (ListTask* const second = behind_head()) return std::exchange(head_, second);
        if (head_ != tail_.load(std::memory_order_acquire)) return nullptr;
        push(own_); // so that the list does not become empty
        ListTask* const second = behind_head();
        return second != nullptr ? std::exchange(head_, second) : nullptr;
    }

  private:
    [[nodiscard]] ListTask* behind_head() const { return head_->next.load(std::memory_order_acquire); }

    ListTask own_;
    alignas(cache_line_bytes) std::atomic<ListTask*> tail_{&own_}; // the senders'
    alignas(cache_line_bytes) ListTask* head_ = &own_;             // the receiver's
};

// As bench/task/task_stream.cpp.
class Stream {
  public:
    explicit Stream(std::uint32_t pool)
        : pool_(pool)
        , sender_(pool, receiver_) {
        for (ListTask& task : pool_) {
            task.body = [](ListTask& self) { self.receiver->take(self.label); };
            task.receiver = &receiver_;
        }
    }

    // The sender's thread. `send_some` returns how many it has sent.
    void send_more(std::uint64_t tasks) { sender_.send_more(tasks); }
    std::uint64_t send_some() {
        std::uint64_t const room = sender_.room();
        for (std::uint64_t i = 0; i < room; ++i) {
            ListTask& task = pool_[sender_.place()];
            task.label = sender_.next();
            list_.push(task);
        }
        return room;
    }
    [[nodiscard]] bool finished() const { return sender_.finished(); }

    // The receiver's thread. Returns how many it has run: up to 64.
    std::uint64_t receive_some() {
        std::uint64_t done = 0;
        for (ListTask* task = list_.pop(); task != nullptr; task = list_.pop()) {
            task->body(*task);
            if (++done == 64) break;
        }
        return done;
    }

    [[nodiscard]] bool verified(std::uint64_t sent) const { return receiver_.verified(sent); }

  private:
    std::vector<ListTask> pool_;
    StreamSender sender_;
    StreamReceiver receiver_;
    MpscList list_;
};

// One thread's part: streams it sends and receives, or null.
struct End {
    Stream* outgoing;
    Stream* incoming;

    // Until `streams` have finished; tells so of its own.
    void work(std::uint64_t tasks, std::atomic<unsigned>& finished, unsigned streams) const {
        bool told = outgoing == nullptr;
        if (!told) outgoing->send_more(tasks);
        for (SpinWait wait; finished.load(std::memory_order_acquire) < streams;) {
            std::uint64_t done = outgoing != nullptr ? outgoing->send_some() : 0;
            if (incoming != nullptr) done += incoming->receive_some();
            if (!told && outgoing->finished()) {
                finished.fetch_add(1, std::memory_order_release); // and what the other end did, room() has acquired
                told = true;
            }
            if (done > 0)
                wait = {};
            else
                wait.turn();
        }
    }
};

Result<Sample> run_stream(Measure measure, CorePair cores, TaskOptions const& options) {
    unsigned const count = measure == Measure::Mail ? 2 : 1;
    std::uint64_t const operations = (options.operations + count - 1) / count;
    Stream there(options.pool);
    Stream back(options.pool);
    End const first{&there, count == 2 ? &back : nullptr};
    End const second{first.incoming, &there};
    std::atomic<unsigned> warm = 0;
    std::atomic<unsigned> finished = 0;
    Cycles start{};
    Cycles end{};
    std::promise<void> pinned;
    std::thread other([&] {
        try {
            pin_to_core(cores.second);
        } catch (...) {
            return pinned.set_exception(std::current_exception());
        }
        pinned.set_value();
        second.work(options.pool, warm, count);
        second.work(operations, finished, count);
    });
    try {
        pinned.get_future().get();
        run_pinned(cores.first, [&] {
            first.work(options.pool, warm, count);
            start = clock::timestamp();
            first.work(operations, finished, count);
            end = clock::timestamp();
        });
    } catch (...) {
        warm = count; // the other thread, if it runs, waits for nothing else
        finished = count;
        other.join();
        throw;
    }
    other.join();
    std::uint64_t const sent = options.pool + operations;
    return Sample{.value = static_cast<double>(raw(end - start)) / static_cast<double>(operations),
                  .operations = count * operations,
                  .verified = there.verified(sent) && (count == 1 || back.verified(sent))};
}

constexpr TaskPeer mpsc_list{
    .name = "mpsc-list",
    .library = [] { return std::string("an intrusive list; gcc " __VERSION__); },
    .measures = {Measure::Stream, Measure::Mail},
    .run = &run_stream,
};
MXK_REGISTER(mxk_task_peers, TaskPeer, mpsc_list);

} // namespace
} // namespace mxk::bench
