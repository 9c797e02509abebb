// What goes wrong in what is forked, kept until it is joined.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#if defined(__cpp_exceptions)
#include <exception>
#endif

namespace mxk {

// What a body has thrown, where there are exceptions.
class ForkFailure {
  public:
    template <typename Function> void keep_from(Function&& function) {
#if defined(__cpp_exceptions)
        try {
            function();
        } catch (...) {
            thrown_ = std::current_exception();
        }
#else
        function();
#endif
    }
    [[nodiscard]] bool is_kept() const {
#if defined(__cpp_exceptions)
        return thrown_ != nullptr;
#else
        return false;
#endif
    }
    void throw_again() {
#if defined(__cpp_exceptions)
        if (thrown_) [[unlikely]]
            std::rethrow_exception(std::exchange(thrown_, nullptr));
#endif
    }

  private:
#if defined(__cpp_exceptions)
    std::exception_ptr thrown_;
#endif
};

// Of several that may go wrong at the same time the first.
class ForkTrouble {
  public:
    enum class Kind : std::uint8_t { None, Thrown, NoMemory };

    // Several children of one may end at the same time.
    void keep(Kind kind, ForkFailure const& failure = {}) {
        auto none = Kind::None;
        if (kind_.compare_exchange_strong(none, kind, std::memory_order_relaxed)) failure_ = failure;
    }
    [[nodiscard]] Kind kind() const { return kind_.load(std::memory_order_relaxed); }
    // Behind the join: nobody else keeps any more.
    void hand_to(ForkTrouble& above) { above.keep(kind(), failure_); }
    void throw_again() {
        if (kind() != Kind::Thrown) [[likely]]
            return;
        kind_.store(Kind::None, std::memory_order_relaxed);
        failure_.throw_again();
    }

  private:
    std::atomic<Kind> kind_{Kind::None};
    ForkFailure failure_;
};

} // namespace mxk
