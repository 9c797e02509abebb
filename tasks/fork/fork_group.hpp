// Functions that are run at the same time and waited for, as many as come up: also within tasks, and within what runs
// in such a group. Unlike a TaskGroup, whose tasks are sent to cores, idle cores steal them.
//
//     ForkGroup group;
//     for (Node& child : node.children) group.run([&] { visit(child); });
//     group.wait();
#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include "tasks/fork/fork_core.hpp"

namespace mxk {

// Of one call of a function on one core, which alone runs and waits; it may have groups inside each other.
class ForkGroup {
  public:
    ForkGroup()
        : core_(ForkCore::current()) {
        if (core_ != nullptr) scope_.emplace(*core_);
    }
    ForkGroup(ForkGroup const&) = delete;
    ForkGroup& operator=(ForkGroup const&) = delete;
    // Waits, too; what they throw is lost then.
    ~ForkGroup() {
        expect(ForkCore::current() == core_, "a fork group ends on the core that made it: before a co_await");
        join_all();
    }

    // function(), now or later, on some core; not at all, when one before has thrown. At once, where there is no
    // memory, no room, or no core: in a thread.
    template <std::invocable Function> void run(Function function) {
        using Its = Job<Function>;
        static_assert(sizeof(Its) <= CorePool::largest_bytes, "a function captures less than 1 KiB: capture a pointer");
        expect(ForkCore::current() == core_, "a fork group is used on the core that made it: what it runs has its own");
        if (is_cancelled_) return;
        Its* const job = core_ != nullptr ? Worker::current().create<Its>(std::move(function)) : nullptr;
        if (job == nullptr) {
            ForkFailure failure;
            failure.keep_from([&] { function(); });
            return keep(failure);
        }
        if (!core_->fork(*job)) {
            job->run(*core_);
            return end(*job);
        }
        job->before = newest_;
        newest_ = job;
    }
    // Until all have ended. What one of them has thrown is thrown here; those that have not begun then do not any more.
    void wait() {
        expect(ForkCore::current() == core_, "a fork group is waited for on the core that made it");
        join_all();
        is_cancelled_ = false;
        failure_.throw_again();
    }

  private:
    struct AnyJob : ForkJob {
        using Destroy = void (*)(Worker& worker, AnyJob& job);
        AnyJob(Body body, Destroy its_destroy)
            : ForkJob(body)
            , destroy(its_destroy) {}
        Destroy destroy;
        AnyJob* before = nullptr; // of the group, the one forked before this one
        ForkFailure failure;
    };
    template <typename Function> struct alignas(cache_line_bytes) Job : AnyJob {
        explicit Job(Function its_function)
            : AnyJob(
                  [](ForkCore&, ForkJob& job) {
                      auto& self = static_cast<Job&>(job);
                      self.failure.keep_from([&self] { self.function(); });
                  },
                  [](Worker& worker, AnyJob& job) { worker.destroy(static_cast<Job&>(job)); })
            , function(std::move(its_function)) {}
        Function function;
    };

    // The newest first, as they lie in the deque.
    void join_all() {
        while (AnyJob* const job = newest_) {
            newest_ = job->before;
            if (!core_->take_back(*job))
                core_->wait_for(*job);
            else if (!is_cancelled_)
                job->run(*core_);
            end(*job);
        }
    }
    void end(AnyJob& job) {
        keep(job.failure);
        job.destroy(Worker::current(), job);
    }
    void keep(ForkFailure& failure) {
        if (failure.is_kept() && !std::exchange(is_cancelled_, true)) failure_ = std::move(failure);
    }

    ForkCore* core_;
    std::optional<ForkCore::Scope> scope_;
    AnyJob* newest_ = nullptr;
    bool is_cancelled_ = false;
    ForkFailure failure_;
};

} // namespace mxk
