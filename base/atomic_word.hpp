// A word that several workers share, with the operations that lock algorithms use (locks/fabric/): those by which
// words of others are reached where memory is not shared, swap() to acc_later(), and load() and store() of what is
// near.
#pragma once

#include <atomic>

namespace mxk {

template <typename V> class AtomicWord {
  public:
    constexpr explicit AtomicWord(V value = V{})
        : value_(value) {}
    [[nodiscard]] V load(std::memory_order order) const { return value_.load(order); }
    void store(V value, std::memory_order order) { value_.store(value, order); }

    V swap(V value, std::memory_order order = std::memory_order_acq_rel) { return value_.exchange(value, order); }
    // What was there: `expected`, if it is `desired` now.
    V cas(V expected, V desired, std::memory_order order = std::memory_order_acq_rel) {
        value_.compare_exchange_strong(expected, desired, order, std::memory_order_relaxed);
        return expected;
    }
    V add(V addend, std::memory_order order = std::memory_order_acq_rel) { return value_.fetch_add(addend, order); }
    [[nodiscard]] V read(std::memory_order order = std::memory_order_acquire) const { return value_.load(order); }
    // A store by the only writer, and one beside others.
    void put(V value, std::memory_order order = std::memory_order_release) { value_.store(value, order); }
    void acc(V value, std::memory_order order = std::memory_order_release) { value_.store(value, order); }
    // Not waiting until it has happened, which is a difference where memory is not shared.
    void acc_later(V value) { acc(value); }

  private:
    std::atomic<V> value_;
};

} // namespace mxk
