// What can fail at run time returns a Result: a value, or an Error whose text says what was expected. Broken invariants
// are not errors; they panic (base/panic.hpp).
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace mxk {

class Error {
  public:
    // Out of line, as copies are: they are seldom needed, and stand behind every call that may fail.
    [[gnu::cold]] explicit Error(std::string_view message);
    [[gnu::cold]] Error(Error const& other);
    [[gnu::cold]] Error& operator=(Error const& other);
    ~Error() = default;

    [[nodiscard]] std::string_view message() const { return message_.view(); }

    template <typename... Arguments>
    static Error of(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
        Error error("");
        format(error.message_, pattern, arguments...);
        return error;
    }

  private:
    FixedText<232> message_;
};

// A value was taken of a result that has none, or an error of one that has a value: panics.
[[noreturn, gnu::cold]] void no_value(Error const& error);
[[noreturn, gnu::cold]] void no_error();

template <typename T> class [[nodiscard]] Result {
  public:
    Result(T value)
        : value_(std::move(value)) {}
    Result(Error const& error)
        : error_(error) {}

    [[nodiscard]] bool ok() const { return value_.has_value(); }
    explicit operator bool() const { return ok(); }

    // Panics with the error, where there is one instead.
    [[nodiscard]] T& value() & {
        expect_value();
        return *value_;
    }
    [[nodiscard]] T const& value() const& {
        expect_value();
        return *value_;
    }
    [[nodiscard]] T&& value() && {
        expect_value();
        return std::move(*value_);
    }
    // Panics where there is none.
    [[nodiscard]] Error const& error() const {
        if (value_) [[unlikely]]
            no_error();
        return *error_;
    }

  private:
    void expect_value() const {
        if (!value_) [[unlikely]]
            no_value(*error_);
    }
    // Exactly one is engaged.
    std::optional<T> value_;
    std::optional<Error> error_;
};

struct Done {};
template <> class [[nodiscard]] Result<void> : public Result<Done> {
  public:
    Result()
        : Result<Done>(Done{}) {}
    Result(Error const& error)
        : Result<Done>(error) {}
};

// The value of a Result, or return its error from the calling function.
#define MXK_TRY(expression)                                                                                            \
    __extension__({                                                                                                    \
        auto mxk_try_result = (expression);                                                                            \
        if (!mxk_try_result.ok()) return mxk_try_result.error();                                                       \
        std::move(mxk_try_result).value();                                                                             \
    })

} // namespace mxk
