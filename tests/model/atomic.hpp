// What stands for std::atomic, the fences and the conditions of a source that runs under the model checker
// (tests/model/instrument puts it there). An operation that std::atomic has and this has not does not compile there:
// the compiler names file and line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include "tests/model/model_memory.hpp"
#include "tests/model/places.hpp"

namespace mxk::test {

template <typename V> class ModelAtomic {
    using From = std::source_location;
    static constexpr std::memory_order total = std::memory_order_seq_cst;

  public:
    using value_type = V;
    static constexpr bool is_always_lock_free = true;

    constexpr ModelAtomic(From from = From::current()) // NOLINT(*-explicit-*): as std::atomic
        : ModelAtomic(V{}, from) {}
    constexpr ModelAtomic(V value, From from = From::current()) // NOLINT(*-explicit-*): the same
        : at_(value) {
        if (std::is_constant_evaluated()) return;
        WeakMemory::current().write({.where = this, .from = from, .is_plain = true, .constructs = true},
                                    model_bits(value));
    }
    ModelAtomic(ModelAtomic const&) = delete;
    ModelAtomic& operator=(ModelAtomic const&) = delete;

    [[nodiscard]] V load(std::memory_order order = total, From from = From::current()) const {
        WeakMemory::current().adopt(this, model_bits(at_));
        return from_model_bits<V>(Places::load(this, {.from = from, .order = order}));
    }
    void store(V value, std::memory_order order = total, From from = From::current()) {
        Places::store(this, {.from = from, .kind = PlaceKind::Store, .order = order}, sizeof(V), model_bits(value));
    }
    V exchange(V value, std::memory_order order = total, From from = From::current()) {
        return update({.from = from, .kind = PlaceKind::Swap, .order = order}, [=](V) { return value; });
    }
    bool compare_exchange_strong(V& expected, V desired, std::memory_order order = total, From from = From::current()) {
        return compare_exchange_strong(expected, desired, order, unchanged_for(order), from);
    }
    bool compare_exchange_strong(V& expected, V desired, std::memory_order order, std::memory_order unchanged,
                                 From from = From::current()) {
        V const wanted = expected;
        WeakMemory::current().adopt(this, model_bits(at_));
        Place const place{.from = from, .kind = PlaceKind::Cas, .order = order, .unchanged = unchanged};
        expected = from_model_bits<V>(Places::update(this, place, sizeof(V), [=](std::uint64_t old) {
            return WeakMemory::Change{model_bits(desired), old == model_bits(wanted)};
        }));
        return model_bits(expected) == model_bits(wanted);
    }
    // One that never fails without reason: what its loop does then is what it does when another one was faster.
    bool compare_exchange_weak(V& expected, V desired, std::memory_order order = total, From from = From::current()) {
        return compare_exchange_strong(expected, desired, order, from);
    }
    bool compare_exchange_weak(V& expected, V desired, std::memory_order order, std::memory_order unchanged,
                               From from = From::current()) {
        return compare_exchange_strong(expected, desired, order, unchanged, from);
    }
    template <typename A> V fetch_add(A value, std::memory_order order = total, From from = From::current()) {
        return update(adding(from, order), [=](V old) { return static_cast<V>(old + static_cast<V>(value)); });
    }
    template <typename A> V fetch_sub(A value, std::memory_order order = total, From from = From::current()) {
        return update(adding(from, order), [=](V old) { return static_cast<V>(old - static_cast<V>(value)); });
    }
    V fetch_or(V value, std::memory_order order = total, From from = From::current()) {
        return update(adding(from, order), [=](V old) { return static_cast<V>(old | value); });
    }
    V fetch_and(V value, std::memory_order order = total, From from = From::current()) {
        return update(adding(from, order), [=](V old) { return static_cast<V>(old & value); });
    }
    V fetch_xor(V value, std::memory_order order = total, From from = From::current()) {
        return update(adding(from, order), [=](V old) { return static_cast<V>(old ^ value); });
    }

  private:
    static Place adding(From from, std::memory_order order) {
        return {.from = from, .kind = PlaceKind::Add, .order = order};
    }
    static std::memory_order unchanged_for(std::memory_order order) {
        if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
        return order == std::memory_order_release ? std::memory_order_relaxed : order;
    }
    template <typename F> V update(Place const& place, F change) {
        WeakMemory::current().adopt(this, model_bits(at_));
        return from_model_bits<V>(Places::update(this, place, sizeof(V), [=](std::uint64_t old) {
            return WeakMemory::Change{model_bits(change(from_model_bits<V>(old))), true};
        }));
    }

    V at_; // an address of its own, and the first value where that is known before the run
};

// Of a word that is one of these in one table of the checker's, and plain in another.
template <typename V>
void model_store(ModelAtomic<V>& word, V value, std::memory_order order,
                 std::source_location from = std::source_location::current()) {
    word.store(value, order, from);
}
template <typename V> void model_store(ModelPlain<V>& word, V value, std::memory_order /*order*/) {
    word = value;
}

// An atomic that is only shown to people: it orders nothing, nobody decides by it, and it is no step of an execution.
template <typename V> class ModelDisplay {
  public:
    constexpr ModelDisplay(V value = V{}) // NOLINT(*-explicit-*): as std::atomic
        : value_(value) {}
    [[nodiscard]] V load(std::memory_order /*order*/) const { return value_; }
    void store(V value, std::memory_order /*order*/) { value_ = value; }
    V exchange(V value, std::memory_order /*order*/) { return std::exchange(value_, value); }
    V fetch_add(V value, std::memory_order /*order*/) { return std::exchange(value_, static_cast<V>(value_ + value)); }

  private:
    V value_;
};

inline void model_fence(std::memory_order order, std::source_location from = std::source_location::current()) {
    if (order == std::memory_order_relaxed) return;
    Fence const fence = order == std::memory_order_acquire   ? Fence::Acquire
                        : order == std::memory_order_release ? Fence::Release
                        : order == std::memory_order_seq_cst ? Fence::SeqCst
                                                             : Fence::Both;
    Places::fence({.from = from, .kind = PlaceKind::Fence, .fence = fence});
}
inline void model_signal_fence(std::memory_order /*order*/,
                               std::source_location from = std::source_location::current()) {
    Places::fence({.from = from, .kind = PlaceKind::Fence, .fence = Fence::Light});
}

// membarrier(2), which makes all threads execute a fence (`does_fence`), or says that it will be used.
inline bool model_has_membarrier = true; // set by a use
inline long model_membarrier(bool does_fence, std::source_location from = std::source_location::current()) {
    if (does_fence) Places::fence({.from = from, .kind = PlaceKind::Fence, .fence = Fence::Heavy});
    return 0;
}

// What a condition of the source says; `is_true` has been evaluated.
constexpr bool model_condition(bool is_true, std::source_location from = std::source_location::current()) {
    if (std::is_constant_evaluated()) return is_true;
    return Places::condition({.from = from, .kind = PlaceKind::Condition}, is_true);
}

} // namespace mxk::test
