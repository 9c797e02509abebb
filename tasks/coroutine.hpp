// A task in the notation of a function: a C++20 coroutine that stands in the same queues as every other task. What it
// awaits (tasks/next_turn.hpp, tasks/when_all.hpp, another coroutine) ends its turn; the next one begins behind
// it, perhaps on another core.
//
//     Coroutine<std::uint64_t> value_of(Table& table, std::uint64_t key) {
//         CoreId const home = Worker::current().core();
//         co_await move_to(table.core(table.owner(key)));
//         Pair const* const pair = table.region(table.owner(key)).lookup(key);   // on the owner: no lock
//         std::uint64_t const value = pair != nullptr ? pair->value : 0;
//         co_await move_to(home);
//         co_return value;
//     }
//
// Called, it does not run yet: it is an object that is awaited, started (tasks/start.hpp) or destroyed. Its frame comes
// from the calling core's pool and goes back there, together with the parameters; the locals end where the body ends.
// Without memory for the frame the object is empty, and awaiting it says so. A frame has up to 1 KiB.
#pragma once

#include <concepts>
#include <coroutine>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/panic.hpp"
#include "tasks/coroutine_task.hpp"

namespace mxk {

// Owns a coroutine that gives a T by co_return. Moved, but not copied.
template <typename T = void> class [[nodiscard]] Coroutine {
  public:
    class promise_type; // NOLINT(readability-identifier-naming): the language's name

    // Empty.
    Coroutine() = default;
    Coroutine(Coroutine&& other) noexcept
        : promise_(std::exchange(other.promise_, nullptr)) {}
    Coroutine& operator=(Coroutine&& other) noexcept {
        if (this != &other) {
            reset();
            promise_ = std::exchange(other.promise_, nullptr);
        }
        return *this;
    }
    ~Coroutine() { reset(); }

    // False: there was no memory for it, or it was moved away.
    [[nodiscard]] explicit operator bool() const { return promise_ != nullptr; }

    // Destroys it, if it was not begun or has ended; on any core: away from home, the frame is sent there.
    void reset() {
        if (promise_ != nullptr) std::exchange(promise_, nullptr)->destroy();
    }

    // Runs it, at first as a function is called, within the awaiting coroutine's turn (32 inside each other, and the
    // next one in a turn of its own); if it suspends, the awaiting one continues on its own core when this one has
    // ended and come there. Gives std::optional<T>, for void a bool: nothing, or false, if this is empty.
    auto operator co_await() &&;

    // Of one that has ended (when_all() over a span leaves it here).
    [[nodiscard]] auto& result() requires(!std::is_void_v<T>) {
        expect(promise_ != nullptr && promise_->result.has_value(), "a coroutine has a result when it has ended");
        return *promise_->result;
    }

    // For those who run coroutines. Not empty.
    [[nodiscard]] CoroutineTask& task() { return *promise_; }
    // Gives it away: it destroys itself at its end.
    [[nodiscard]] CoroutineTask& release() { return *std::exchange(promise_, nullptr); }

  private:
    explicit Coroutine(promise_type& promise)
        : promise_(&promise) {}

    promise_type* promise_ = nullptr;
};

namespace detail {

template <typename T> struct CoroutineResult : CoroutineTask {
    static_assert(std::is_object_v<T> && std::move_constructible<T>,
                  "a coroutine's result is void or an object that can be moved: for a reference, give a pointer");
    template <std::convertible_to<T> Value = T> void return_value(Value&& value) {
        result.emplace(std::forward<Value>(value));
    }
    std::optional<T> result;
};
template <> struct CoroutineResult<void> : CoroutineTask {
    static void return_void() {}
};

} // namespace detail

template <typename T> class Coroutine<T>::promise_type : public detail::CoroutineResult<T> {
  public:
    Coroutine get_return_object() {
        static_assert(alignof(promise_type) == alignof(CoroutineTask), "a result is aligned to a cache line up to");
        return Coroutine(*this);
    }
    static Coroutine get_return_object_on_allocation_failure() { return {}; }
};

namespace detail {

// For as long as the awaiting coroutine waits; in its frame.
template <typename T> class AwaitCoroutine {
  public:
    explicit AwaitCoroutine(Coroutine<T> child)
        : child_(std::move(child)) {}

    [[nodiscard]] bool await_ready() const { return !child_; }

    template <std::derived_from<CoroutineTask> Promise> bool await_suspend(std::coroutine_handle<Promise> parent) {
        waiter_ = {&parent.promise(), Worker::current().core(), 1};
        return !child_.task().begin_now(parent.promise(), waiter_);
    }

    [[nodiscard]] auto await_resume() {
        if constexpr (std::is_void_v<T>) {
            return static_cast<bool>(child_);
        } else {
            return child_ ? std::optional<T>(std::move(child_.result())) : std::nullopt;
        }
    }

  private:
    Coroutine<T> child_;
    CoroutineWaiter waiter_{};
};

} // namespace detail

template <typename T> auto Coroutine<T>::operator co_await() && {
    return detail::AwaitCoroutine<T>(std::move(*this));
}

} // namespace mxk
