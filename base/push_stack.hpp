// A stack that any number of cores, threads and interrupt handlers push onto, each by one compare-exchange, and that
// one takes as a whole, by one exchange. Elements bring their own link, so it has no bound and needs no memory. Nobody
// waits for a push that was interrupted half-way, since it is done or not done.
#pragma once

#include <atomic>
#include <utility>

#include "base/inject.hpp"

namespace mxk {

template <typename T, T* T::*link> class PushStack {
  public:
    // True if it was empty. Anyone; never blocks. From then on the element is the taker's.
    bool push(T& element) {
        T* before = newest_.load(std::memory_order_relaxed);
        do {
            element.*link = before;
            inject::point();
            // release: publishes the element, pairs with the exchange when it is taken. seq_cst: with empty(), or a
            // word of the caller's, it decides who sees whom.
        } while (
            !newest_.compare_exchange_weak(before, &element, std::memory_order_seq_cst, std::memory_order_relaxed));
        return before == nullptr;
    }

    // Everything pushed so far, linked; null: nothing. One taker.
    [[nodiscard]] T* take_newest_first() {
        if (empty()) return nullptr; // leaves the line shared
        return newest_.exchange(nullptr, std::memory_order_acquire);
    }
    // The same in the order of the pushes.
    [[nodiscard]] T* take_oldest_first() {
        T* from = take_newest_first();
        T* oldest = nullptr;
        while (from != nullptr) {
            T* const element = std::exchange(from, from->*link);
            element->*link = std::exchange(oldest, element);
        }
        return oldest;
    }

    // Anyone.
    [[nodiscard]] bool empty() const { return newest_.load(std::memory_order_seq_cst) == nullptr; }

  private:
    std::atomic<T*> newest_{nullptr};
};

} // namespace mxk
