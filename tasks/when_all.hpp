// Several coroutines at once: each begins as a task of the calling core, in order, and may move where it likes; the
// awaiting one continues on its own core when the last of them has ended and come there. They are counted there,
// without an atomic.
//
//     auto const sums = co_await when_all(sum_of(left), sum_of(right));   // std::optional<std::tuple<Sum, Sum>>
//     if (!sums) ...                                                      // no memory for one of them: none has run
#pragma once

#include <algorithm>
#include <concepts>
#include <coroutine>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "tasks/coroutine.hpp"

namespace mxk {
namespace detail {

template <typename T> class AwaitSpan {
  public:
    explicit AwaitSpan(std::span<Coroutine<T>> children)
        : children_(children)
        , all_exist_(std::all_of(children.begin(), children.end(), [](auto const& child) { return bool(child); })) {}

    [[nodiscard]] bool await_ready() const { return !all_exist_ || children_.empty(); }

    template <std::derived_from<CoroutineTask> Promise> void await_suspend(std::coroutine_handle<Promise> parent) {
        Worker& worker = Worker::current();
        waiter_ = {&parent.promise(), worker.core(), children_.size()};
        for (Coroutine<T>& child : children_) child.task().begin(worker, &waiter_);
    }

    [[nodiscard]] bool await_resume() const { return all_exist_; }

  private:
    std::span<Coroutine<T>> children_;
    bool all_exist_;
    CoroutineWaiter waiter_{};
};

template <typename... Ts> class AwaitAll {
  public:
    explicit AwaitAll(Coroutine<Ts>... children)
        : children_(std::move(children)...) {}

    [[nodiscard]] bool await_ready() const { return !all_exist(); }

    template <std::derived_from<CoroutineTask> Promise> void await_suspend(std::coroutine_handle<Promise> parent) {
        Worker& worker = Worker::current();
        waiter_ = {&parent.promise(), worker.core(), sizeof...(Ts)};
        std::apply([&](auto&... child) { (child.task().begin(worker, &waiter_), ...); }, children_);
    }

    [[nodiscard]] auto await_resume() {
        if constexpr ((std::is_void_v<Ts> && ...)) {
            return all_exist();
        } else {
            using Results = std::tuple<std::conditional_t<std::is_void_v<Ts>, Done, Ts>...>;
            if (!all_exist()) return std::optional<Results>();
            return std::apply([](auto&... child) { return std::optional<Results>(std::in_place, result_of(child)...); },
                              children_);
        }
    }

  private:
    [[nodiscard]] bool all_exist() const {
        return std::apply([](auto const&... child) { return (bool(child) && ...); }, children_);
    }
    static Done result_of(Coroutine<void>&) { return {}; }
    template <typename T> static T&& result_of(Coroutine<T>& child) { return std::move(child.result()); }

    std::tuple<Coroutine<Ts>...> children_;
    CoroutineWaiter waiter_{};
};

} // namespace detail

// Gives the tuple of their results (Done for void) as std::optional, or if all are void, a bool. Nothing, or false, if
// one of them is empty: then none has run.
template <typename... Ts>
requires(sizeof...(Ts) > 0) [[nodiscard]] auto when_all(Coroutine<Ts>... children) {
    return detail::AwaitAll<Ts...>(std::move(children)...);
}

// For any number of them, which stay the caller's: their results are there afterwards. False if one of them is empty:
// then none has run.
template <typename T> [[nodiscard]] auto when_all(std::span<Coroutine<T>> children) {
    return detail::AwaitSpan<T>(children);
}

} // namespace mxk
