#include <gtest/gtest.h>

#include <string>

#include "kernel/inspect/number.hpp"
#include "kernel/inspect/symbol_lookup.hpp"

namespace mxk::inspect {
namespace {

constinit std::uint64_t const known_word = 0x0123'4567'89ab'cdef;

std::string message_of(std::string_view text) {
    auto const number = parse_number(text);
    return number ? "none" : std::string(number.error().message());
}

TEST(InspectNumber, decimal_hexadecimal_octal) {
    EXPECT_EQ(parse_number("0").value(), 0U);
    EXPECT_EQ(parse_number("18446744073709551615").value(), UINT64_MAX);
    EXPECT_EQ(parse_number("0xffffffffFFFFFFFF").value(), UINT64_MAX);
    EXPECT_EQ(parse_number("01777777777777777777777").value(), UINT64_MAX);
    EXPECT_EQ(parse_number("0X1f").value(), 31U);
}

TEST(InspectNumber, what_is_none_is_named) {
    for (std::string const text : {"", "x", "0x", "08", "1f", "0xg", "18446744073709551616", "0x10000000000000000",
                                   "02000000000000000000000", "*", "1 "}) {
        EXPECT_EQ(message_of(text), "expected a number of up to 64 bits such as 18, 0x12 or 022, &FUNCTION or "
                                    "*ADDRESS, got '" +
                                        text + "'");
    }
}

TEST(InspectNumber, what_stands_at_an_address) {
    std::uint64_t const* const pointer = &known_word;
    std::string const address = std::to_string(reinterpret_cast<std::uintptr_t>(pointer));
    EXPECT_EQ(parse_number("*" + address).value(), known_word);
    std::string const of_pointer = std::to_string(reinterpret_cast<std::uintptr_t>(&pointer));
    EXPECT_EQ(parse_number("**" + of_pointer).value(), known_word);
    EXPECT_EQ(message_of("*0"), "expected an address of mapped memory, got 0x0");
}

TEST(InspectNumber, addresses_of_functions) {
    auto const here = reinterpret_cast<std::uintptr_t>(&no_function_called);
    EXPECT_EQ(parse_number("&mxk::inspect::no_function_called").value(), here);
    EXPECT_EQ(parse_number("&no_function_called").value(), here);
    EXPECT_TRUE(message_of("&o_function_called")
                    .starts_with("expected the name of a function, got 'o_function_called', which is part of "));
    EXPECT_EQ(message_of("&"), "expected the name of a function, such as mxk::clock::now or now, got ''");
}

} // namespace
} // namespace mxk::inspect
