// Grace periods of threads that a test starts itself, without a machine: what a shared table wants of MachineGrace
// (hashtable/shared/machine_grace.hpp). A section notes which grace period had begun when it began; one is over when
// nobody is in a section that began before it. Who leaves a section looks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/inject.hpp"
#include "base/units.hpp"
#include "kernel/sync/rcu/callback.hpp"

namespace mxk::test {

class GraceModel {
  public:
    static constexpr std::size_t max_threads = 16;

    // Whether grace periods are what they should be, or over at once: then a test has to find that out.
    enum class Kind : std::uint8_t { Right, OverAtOnce };
    explicit GraceModel(Kind kind = Kind::Right)
        : kind_(kind) {}
    GraceModel(GraceModel const&) = delete;
    GraceModel& operator=(GraceModel const&) = delete;
    ~GraceModel() { end(); }

    // Callbacks run in end() only: where one that runs in the middle of something would wait for that.
    void keep_callbacks() { keeps_callbacks_ = true; }

    // Runs all callbacks that still wait. While nobody is in a section.
    void end() { run(std::exchange(callbacks_, {})); }

    // What a table is given.
    class Handle {
      public:
        explicit Handle(GraceModel& model)
            : model_(&model) {}
        [[nodiscard]] std::uint64_t after_readers() const { return model_->begun_.load(std::memory_order_acquire) + 2; }
        [[nodiscard]] bool is_over(std::uint64_t number) const {
            return model_->kind_ == Kind::OverAtOnce || model_->done_.load(std::memory_order_acquire) >= number;
        }
        void want(std::uint64_t number) const { model_->want(number); }
        void call(rcu::Callback& callback) const { model_->call(callback); }
        [[nodiscard]] static std::size_t place() { return place_of_thread; }

      private:
        GraceModel* model_;
    };
    Handle handle() { return Handle(*this); }

    // Of the calling thread; they do not nest.
    class Section {
      public:
        explicit Section(GraceModel& model)
            : Section(model, place_of_thread) {}
        // Of one of several that share a thread.
        Section(GraceModel& model, std::size_t place)
            : model_(model)
            , since_(model.readers_.at(place).since) {
            std::uint64_t begun = 0;
            do { // seq_cst: it is seen by who begins the next one, or sees it begun
                begun = model_.begun_.load();
                since_.store(begun + 1);
            } while (model_.begun_.load() != begun);
        }
        ~Section() {
            since_.store(0, std::memory_order_release);
            model_.advance();
        }
        Section(Section const&) = delete;
        Section& operator=(Section const&) = delete;

      private:
        GraceModel& model_;
        std::atomic<std::uint64_t>& since_;
    };

    // Which of the threads the calling one is; each sets its own.
    static inline thread_local std::size_t place_of_thread = 0;

    [[nodiscard]] std::uint64_t done() const { return done_.load(); }

  private:
    struct alignas(cache_line_bytes) Reader {
        std::atomic<std::uint64_t> since{0}; // 0: in no section
    };
    struct Waiting {
        rcu::Callback* callback;
        std::uint64_t number;
    };

    void want(std::uint64_t number) {
        std::uint64_t before = wanted_.load();
        while (before < number && !wanted_.compare_exchange_weak(before, number)) {
        }
    }
    void call(rcu::Callback& callback) {
        std::uint64_t const number = begun_.load() + 2;
        {
            std::lock_guard const guard(mutex_);
            callbacks_.push_back({&callback, number});
        }
        want(number);
    }
    void advance() {
        if (wanted_.load() <= done_.load()) return;
        std::vector<Waiting> due;
        {
            std::unique_lock const guard(mutex_, std::try_to_lock);
            if (!guard) return; // somebody is at it
            std::uint64_t const number = done_.load() + 1;
            begun_.store(number);
            for (Reader const& reader : readers_) {
                std::uint64_t const since = reader.since.load();
                if (since != 0 && since <= number) return;
            }
            done_.store(number, std::memory_order_release);
            std::erase_if(callbacks_, [&](Waiting const& waiting) {
                if (waiting.number > number || keeps_callbacks_) return false;
                due.push_back(waiting);
                return true;
            });
        }
        run(due);
    }
    static void run(std::vector<Waiting> const& due) {
        for (Waiting const& waiting : due) waiting.callback->function(*waiting.callback);
    }

    Kind kind_;
    bool keeps_callbacks_ = false;
    std::atomic<std::uint64_t> begun_{0};
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> wanted_{0};
    std::array<Reader, max_threads> readers_;
    std::mutex mutex_; // of what is below, and who ends one
    std::vector<Waiting> callbacks_;
};

} // namespace mxk::test
