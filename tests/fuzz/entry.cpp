// libFuzzer's entry: one program with a link for each target, which runs the target of the name by which it was
// started. A failed expectation of GoogleTest is thrown, and since nobody catches it it ends the fuzzer like any other
// crash: with the message, the stack, and the input saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets/cores.hpp"
#include "tests/fuzz/targets/targets.hpp"

namespace mxk::fuzz {
namespace {

void (*target)(InputBytes bytes);

// Of a program PATH/mxk-fuzz-NAME. Ends the program if there is no such target.
auto target_of(std::string_view program) -> decltype(target) {
    static constexpr std::string_view prefix = "mxk-fuzz-";
    std::string_view const file = program.substr(program.find_last_of('/') + 1);
    auto const found = std::find_if(targets.begin(), targets.end(), [file](Target const& one) {
        return file.starts_with(prefix) && file.substr(prefix.size()) == one.name;
    });
    if (found != targets.end()) return found->run;
    std::fputs("expected to be started as mxk-fuzz-NAME, with a NAME of: ", stderr);
    for (Target const& one : targets) std::fprintf(stderr, "%.*s ", static_cast<int>(one.name.size()), one.name.data());
    std::fprintf(stderr, "(got '%.*s')\n", static_cast<int>(file.size()), file.data());
    std::exit(2);
}

} // namespace
} // namespace mxk::fuzz

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
    GTEST_FLAG_SET(throw_on_failure, true);
    mxk::fuzz::target = mxk::fuzz::target_of((*argv)[0]);
    if (mxk::fuzz::target == &mxk::fuzz::plans || mxk::fuzz::target == &mxk::fuzz::models) mxk::fuzz::keep_cores();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    mxk::fuzz::target({reinterpret_cast<std::byte const*>(data), size});
    return 0;
}
