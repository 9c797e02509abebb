// Recursion on all cores in the notation of functions: a coroutine that forks others, calls others, and joins.
//
//     Forked<std::uint64_t> fibonacci(unsigned n) {
//         if (n < 2) co_return n;
//         std::uint64_t first = 0;
//         co_await fork(first, fibonacci(n - 1));                       // idle cores may go on here meanwhile
//         std::uint64_t const second = co_await fibonacci(n - 2);       // a call
//         co_await join();                                              // `first` has its value
//         co_return first + second;
//     }
//     Result<std::uint64_t> const result = run_forked([] { return fibonacci(40); });
//
// Unlike ForkCore::both(), no depth is too deep: frames lie in memory of their own, (depth + some) frames for each core
// at worst. What is forked runs at once, on the core that forks it; what idle cores steal is the continuation of the
// one that has forked it, the oldest first. So the body of a coroutine may go on on another core behind each co_await.
//
// What forks refer to of the one that forks them, their result, too, has to live until the join: a body that may throw
// between its fork and its join catches that and joins. Otherwise the join comes by itself: before a call throws, and
// at the body's end. A body waits for nothing else, as all that is forked (fork_core.hpp). GCC 12 makes both coroutines
// of `co_await (a ? f() : g())`: write an if.
#pragma once

#include <concepts>
#include <coroutine>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/panic.hpp"
#include "base/result.hpp"
#include "tasks/fork/entry.hpp"
#include "tasks/fork/fork_frame.hpp"

namespace mxk {

// A coroutine that gives a T by co_return and was not begun yet: it is awaited (a call), forked, or destroyed, the
// newest first, on the core that has made it. Empty where there is no memory, and in a thread.
template <typename T = void> class [[nodiscard]] Forked {
  public:
    class promise_type; // NOLINT(readability-identifier-naming): the language's name
    using Value = T;

    Forked(Forked&& other) noexcept
        : promise_(std::exchange(other.promise_, nullptr)) {}
    Forked& operator=(Forked&&) = delete;
    ~Forked() {
        if (promise_ != nullptr) promise_->discard();
    }

    auto operator co_await() &&;

    // For those who run it; null, if it is empty.
    [[nodiscard]] promise_type* release() { return std::exchange(promise_, nullptr); }

  private:
    explicit Forked(promise_type* promise)
        : promise_(promise) {}

    promise_type* promise_;
};

namespace detail {

struct EndOfForked {
    static bool await_ready() noexcept { return false; }
    template <typename Promise> static void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
        coroutine.promise().end();
    }
    static void await_resume() noexcept {}
};

class ForkForked {
  public:
    explicit ForkForked(ForkFrame* child)
        : child_(child) {}
    ForkForked(ForkForked&& other) noexcept
        : child_(std::exchange(other.child_, nullptr)) {}
    ForkForked& operator=(ForkForked&&) = delete;
    ~ForkForked() { // nobody has awaited it
        if (child_ != nullptr) child_->discard();
    }
    static bool await_ready() { return false; }
    template <std::derived_from<ForkFrame> Promise> void await_suspend(std::coroutine_handle<Promise> parent) {
        // From here on the parent may run elsewhere: this is not touched any more.
        parent.promise().fork(std::exchange(child_, nullptr));
    }
    static void await_resume() {}

  private:
    ForkFrame* child_;
};

struct JoinForked {};
class AwaitForks {
  public:
    explicit AwaitForks(ForkFrame& parent)
        : parent_(parent) {}
    [[nodiscard]] bool await_ready() const { return parent_.is_joined(); }
    void await_suspend(std::coroutine_handle<>) { parent_.join(); }
    void await_resume() { parent_.throw_again(); }

  private:
    ForkFrame& parent_;
};

struct ForkedPromise : ForkFrame {
    AwaitForks await_transform(JoinForked) { return AwaitForks(*this); }
    // Nothing else: what would not go on by itself would be waited for in vain.
    template <typename T> static Forked<T>&& await_transform(Forked<T>&& call) { return std::move(call); }
    static ForkForked&& await_transform(ForkForked&& forked) { return std::move(forked); }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static EndOfForked final_suspend() noexcept { return {}; }
    void unhandled_exception() {
#if defined(__cpp_exceptions)
        ForkFailure failure;
        failure.keep_from([] { throw; });
        keep_thrown(failure);
#else
        panic("a coroutine has thrown where there are no exceptions");
#endif
    }
};

template <typename T> struct ForkedResult : ForkedPromise {
    static_assert(std::is_object_v<T>, "a coroutine's result is void or an object: for a reference, give a pointer");
    template <std::convertible_to<T> Given = T> void return_value(Given&& value) {
        if (made != nullptr)
            made->emplace(static_cast<T>(std::forward<Given>(value)));
        else
            *assigned = static_cast<T>(std::forward<Given>(value));
    }
    // Where it goes: one of them.
    std::optional<T>* made = nullptr;
    T* assigned = nullptr;
};
template <> struct ForkedResult<void> : ForkedPromise {
    void return_void() const {
        if (made != nullptr) made->emplace();
    }
    struct Nothing {};
    std::optional<Nothing>* made = nullptr;
};

} // namespace detail

template <typename T> class Forked<T>::promise_type : public detail::ForkedResult<T> {
  public:
    using Made = std::remove_pointer_t<decltype(detail::ForkedResult<T>::made)>;

    Forked get_return_object() {
        this->set_handle(std::coroutine_handle<promise_type>::from_promise(*this));
        return Forked(this);
    }
    static Forked get_return_object_on_allocation_failure() { return Forked(nullptr); }
};

namespace detail {

// For as long as the caller waits; in its frame.
template <typename T> class CallForked {
  public:
    explicit CallForked(typename Forked<T>::promise_type* child)
        : child_(child) {
        if (child != nullptr) child->made = &result_;
    }
    static bool await_ready() { return false; }
    template <std::derived_from<ForkFrame> Promise> void await_suspend(std::coroutine_handle<Promise> caller) {
        caller_ = &caller.promise();
        caller_->call(child_); // from here on it may run elsewhere
    }
    T await_resume() {
        // It may have failed behind its co_return: by what it forked. Then the caller was joined.
        if (!result_.has_value() || caller_->is_joined()) caller_->throw_again();
        if constexpr (!std::is_void_v<T>) return std::move(*result_);
    }

  private:
    typename Forked<T>::promise_type* child_;
    ForkFrame* caller_ = nullptr;
    typename Forked<T>::promise_type::Made result_;
};

} // namespace detail

template <typename T> auto Forked<T>::operator co_await() && {
    return detail::CallForked<T>(release());
}

// Awaited in a coroutine that is a Forked: runs `child`, whose result is in `result` behind the join; meanwhile idle
// cores may run what comes behind this. What is forked after a child has thrown does not begin.
template <typename T> [[nodiscard]] auto fork(std::type_identity_t<T>& result, Forked<T> child) {
    auto* const promise = child.release();
    if (promise != nullptr) promise->assigned = &result;
    return detail::ForkForked(promise);
}
[[nodiscard]] inline auto fork(Forked<> child) {
    return detail::ForkForked(child.release());
}
// Awaited there: until all that the coroutine has forked has ended. What one of them has thrown is thrown here.
[[nodiscard]] inline auto join() {
    return detail::JoinForked{};
}

// Runs what make() gives, a Forked<T>, on all cores, and waits for it: its result. From any thread and from tasks, as
// forks::enter(). What it throws is thrown here. Errors: no memory; no core that runs tasks by itself (a Runtime with
// own_threads, or a task).
template <typename Make> auto run_forked(Make&& make) -> Result<typename std::invoke_result_t<Make&>::Value> {
    using Promise = typename std::invoke_result_t<Make&>::promise_type;
    using Given = Result<typename std::invoke_result_t<Make&>::Value>;
    return forks::enter([&make](ForkCore& core) -> Given {
        if (ForkCore::current() != &core)
            return Error("run_forked: expected cores: a Runtime with own_threads, or a task");
        ForkCore::OwnFrames const frames(core);
        ForkRoot root;
        typename Promise::Made result;
        Promise* const outermost = make().release();
        if (outermost != nullptr) {
            outermost->made = &result;
            outermost->run_outermost(core, root);
        }
        if (outermost == nullptr || root.trouble.kind() == ForkTrouble::Kind::NoMemory)
            return Error("run_forked: out of memory: no room for a coroutine's frame");
        root.trouble.throw_again();
        if constexpr (std::is_void_v<typename std::invoke_result_t<Make&>::Value>)
            return {};
        else
            return std::move(*result);
    });
}

} // namespace mxk
