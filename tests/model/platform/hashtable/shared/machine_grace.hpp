// hashtable/shared/machine_grace.hpp for the model checker, with the same words and orders: grace periods that a thread
// of a use passes, and sections that say when they begin and end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "base/spin_wait.hpp"
#include "kernel/sync/rcu/callback.hpp"
#include "tests/model/atomic.hpp"

namespace mxk {
namespace test {

class ModelPeriods {
  public:
    void begin_section() { left_[self()].store(begun.load(std::memory_order_acquire), std::memory_order_release); }
    void end_section() { left_[self()].store(std::numeric_limits<std::uint64_t>::max(), std::memory_order_release); }
    // Begins one and waits until it is over. One thread, which is in no section.
    void pass(std::size_t threads) {
        std::uint64_t const number = begun.load(std::memory_order_relaxed) + 1;
        begun.store(number, std::memory_order_release);
        for (std::size_t i = 0; i < threads; ++i)
            for (SpinWait wait; i != self() && left_[i].load(std::memory_order_acquire) < number;) wait.turn();
        done.store(number, std::memory_order_release);
    }
    // Behind a grace period that has begun after they were given.
    void run_callbacks() {
        rcu::CallbackList mine = std::exchange(callbacks[self()], {});
        while (rcu::Callback* const callback = mine.take()) callback->function(*callback);
    }
    static std::size_t self() { return model_self() == 0 ? 0 : model_self() - 1; }

    ModelAtomic<std::uint64_t> begun{0};
    ModelAtomic<std::uint64_t> done{0};
    std::array<rcu::CallbackList, max_model_threads> callbacks; // of each thread
    std::set<rcu::Callback*> given;                             // all of them, each once
    std::array<std::uint64_t, max_model_threads> wanted{};      // by each thread: the last that it asked for

  private:
    std::array<ModelAtomic<std::uint64_t>, max_model_threads> left_{}; // the section began after this grace period
};
inline ModelPeriods* model_periods = nullptr; // made by a use

} // namespace test

class MachineGrace {
  public:
    [[nodiscard]] static bool exists() { return true; }
    [[nodiscard]] static std::uint64_t after_readers() {
        return test::model_periods->begun.load(std::memory_order_acquire) + 2;
    }
    [[nodiscard]] static bool is_over(std::uint64_t number) {
        return test::model_periods->done.load(std::memory_order_acquire) >= number;
    }
    static void want(std::uint64_t number) { test::model_periods->wanted[place()] = number; }
    static void call(rcu::Callback& callback) {
        test::WeakMemory::current().check(test::model_periods->given.insert(&callback).second,
                                          "a callback is given twice");
        test::model_periods->callbacks[place()].append(callback);
    }
    [[nodiscard]] static std::size_t place() { return test::ModelPeriods::self(); }
};

} // namespace mxk
