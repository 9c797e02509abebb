// The end of the road for broken invariants: says what broke and where, stops every core, and ends with the panic exit
// status. Never returns. Callable on any core, with any lock held, in any interrupt handler that does not return.
#pragma once

#include <source_location>

#include "base/format.hpp"

namespace mxk {

// Provided by each arch/: registers and symbolised backtrace on metal, abort() on linux.
[[noreturn]] void die(std::string_view message, std::source_location where);

template <typename... Arguments>
struct PanicPattern { // carries the caller's place next to the pattern, which a trailing default argument could not
    FormatString<Arguments...> pattern;
    std::source_location where;
    consteval PanicPattern(char const* text, std::source_location location = std::source_location::current())
        : pattern(text)
        , where(location) {}
};

template <typename... Arguments>
[[noreturn]] void panic(PanicPattern<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
    FixedText<240> message;
    format(message, pattern.pattern, arguments...);
    die(message.view(), pattern.where);
}

// Checked in every build: the things asserted are off the fast path or cost less than a miss.
inline void expect(bool holds, char const* what, std::source_location where = std::source_location::current()) {
    if (!holds) [[unlikely]]
        die(what, where);
}

} // namespace mxk
