// What is to be done once no reader uses something any more: part of the object that was unlinked, or of a waiter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mxk::rcu {

// How soon a grace period has to begin.
enum class Urgency : std::uint8_t {
    Batched,  // together with more callbacks: when there are many, after some time (grace_periods.hpp), or when the
              // core would sleep
    Next,     // as soon as the one under way is over
    Expedited // and threads are interrupted, so that their slices do not hold it up
};

struct Callback {
    // `callback` may be given back, or used again, in it. Short; must not block. On the core that call() was called on.
    using Function = void (*)(Callback& callback);

    Callback* next = nullptr; // the engine's
    Function function = nullptr;
};

// First in, first out, through the callbacks' own links. One core's.
class CallbackList {
  public:
    [[nodiscard]] bool empty() const { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const { return size_; }

    void append(Callback& callback) {
        callback.next = nullptr;
        (last_ != nullptr ? last_->next : first_) = &callback;
        last_ = &callback;
        ++size_;
    }
    // All of the others behind those here.
    void append(CallbackList& others) {
        if (others.empty()) return;
        (last_ != nullptr ? last_->next : first_) = others.first_;
        last_ = others.last_;
        size_ += others.size_;
        others = {};
    }
    [[nodiscard]] Callback* take() {
        Callback* const callback = first_;
        if (callback == nullptr) return nullptr;
        first_ = callback->next;
        if (first_ == nullptr) last_ = nullptr;
        --size_;
        return callback;
    }

  private:
    Callback* first_ = nullptr;
    Callback* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace mxk::rcu
