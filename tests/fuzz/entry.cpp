// libFuzzer's entry, compiled once per target. A failed expectation of GoogleTest is thrown, and since nobody catches
// it it ends the fuzzer like any other crash: with the message, the stack, and the input saved.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets/targets.hpp"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
    GTEST_FLAG_SET(throw_on_failure, true);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    mxk::fuzz::MXK_FUZZ_TARGET({reinterpret_cast<std::byte const*>(data), size});
    return 0;
}
