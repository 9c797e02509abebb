// Tests that run inside the kernel, on real cores, by the console command `test`. A test registers itself:
//
//     MXK_TEST(memory, frames_come_back) {
//         if (topology().nodes().size() < 2) MXK_SKIP("needs two nodes");
//         MXK_CHECK(frames.free() > 0);
//         MXK_CHECK_EQUAL(frames.free(), before);
//     }
//
// A failed check prints where it stands, what it says and both values, marks the test and goes on; after MXK_REQUIRE
// the test ends. Checks may be made on any core at once, by tasks too, as long as the test's body waits for them; the
// body runs on the console's core.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/format.hpp"
#include "base/registry.hpp"

namespace mxk::inner_tests {

struct Test {
    std::string_view name; // room.name
    void (*body)();
    enum class Kind : std::uint8_t {
        Short,
        Long,   // runs only with `test --long`
        Unsafe, // ends the kernel: runs only where the command names it, or its room
    };
    Kind kind;
};

MXK_REGISTRY(mxk_tests, Test, registered_tests)

// For commands that make checks, too: none has failed yet, and how many have since.
void begin_checks();
std::uint32_t failed_checks();

void fail_check(std::string_view expression, std::source_location where);
void fail_comparison(std::string_view expression, FormatArgument a, FormatArgument b, std::source_location where);

// What the test that runs draws its random numbers from: `test --seed N`, or default_seed. It stands in the verdict of
// a test that has asked. Any core.
inline constexpr std::uint64_t default_seed = 1;
std::uint64_t seed();

// The test that runs counts as skipped unless a check fails. `reason` is a literal.
void skip(char const* reason);

// What a check prints of a value: the value, or that it has no text.
template <typename T> FormatArgument printable(T const& value) {
    if constexpr (std::is_constructible_v<FormatArgument, T const&>) {
        return FormatArgument(value);
    } else {
        return FormatArgument("(a value without text)");
    }
}

template <typename T>
concept PlainInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

// By value, not by type: a std::size_t and a literal may be compared.
template <typename A, typename B>
void check_equal(A const& a, B const& b, std::string_view expression, std::source_location where) {
    bool equal = false;
    if constexpr (PlainInteger<A> && PlainInteger<B>) {
        equal = std::cmp_equal(a, b);
    } else {
        equal = a == b;
    }
    if (!equal) [[unlikely]]
        fail_comparison(expression, printable(a), printable(b), where);
}

} // namespace mxk::inner_tests

#define MXK_TEST(room, name) MXK_DEFINE_TEST(room, name, Short)
// For what takes minutes on an emulated machine.
#define MXK_LONG_TEST(room, name) MXK_DEFINE_TEST(room, name, Long)
// For what must end the kernel: a test that comes back has failed.
#define MXK_UNSAFE_TEST(room, name) MXK_DEFINE_TEST(room, name, Unsafe)

#define MXK_DEFINE_TEST(room, test_name, test_kind)                                                                    \
    static void mxk_test_##room##_##test_name();                                                                       \
    static constexpr ::mxk::inner_tests::Test mxk_test_entry_##room##_##test_name{                                     \
        .name = #room "." #test_name,                                                                                  \
        .body = &mxk_test_##room##_##test_name,                                                                        \
        .kind = ::mxk::inner_tests::Test::Kind::test_kind};                                                            \
    MXK_REGISTER(mxk_tests, ::mxk::inner_tests::Test, mxk_test_entry_##room##_##test_name);                            \
    static void mxk_test_##room##_##test_name()

#define MXK_CHECK(...)                                                                                                 \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) [[unlikely]]                                                                               \
            ::mxk::inner_tests::fail_check(#__VA_ARGS__, std::source_location::current());                             \
    } while (false)

#define MXK_CHECK_EQUAL(a, b) ::mxk::inner_tests::check_equal(a, b, #a " == " #b, std::source_location::current())

// For what the rest of a function cannot do without: where it fails, the function ends, too. In a test's body, or in
// another function that returns nothing.
#define MXK_REQUIRE(...)                                                                                               \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) [[unlikely]] {                                                                             \
            ::mxk::inner_tests::fail_check(#__VA_ARGS__, std::source_location::current());                             \
            return;                                                                                                    \
        }                                                                                                              \
    } while (false)

// The value of a Result, required in the same way.
#define MXK_REQUIRE_VALUE(...)                                                                                         \
    __extension__({                                                                                                    \
        auto mxk_required_result = (__VA_ARGS__);                                                                      \
        MXK_REQUIRE(mxk_required_result.ok());                                                                         \
        std::move(mxk_required_result).value();                                                                        \
    })

// Leaves the test's body.
#define MXK_SKIP(reason)                                                                                               \
    do {                                                                                                               \
        ::mxk::inner_tests::skip(reason);                                                                              \
        return;                                                                                                        \
    } while (false)
