// The fuzzers' targets over their corpus, and over every input that once failed (tests/fuzz/regressions/NAME): a crash
// that was found and mended is found again, by any compiler and under every sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/targets/targets.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::fuzz {
namespace {

std::vector<std::filesystem::path> inputs_of(std::string_view name) {
    std::vector<std::filesystem::path> result;
    for (std::string_view const kind : {"corpus", "regressions"}) {
        auto const folder = acpi_test::repository_root() / "tests/fuzz" / kind / name;
        if (!std::filesystem::exists(folder)) continue; // nothing failed yet
        for (auto const& entry : std::filesystem::directory_iterator(folder)) result.push_back(entry.path());
    }
    std::sort(result.begin(), result.end());
    return result;
}

class FuzzRegression : public testing::TestWithParam<Target> {};

TEST_P(FuzzRegression, every_known_input) {
    auto const inputs = inputs_of(GetParam().name);
    ASSERT_FALSE(inputs.empty()) << "expected inputs in tests/fuzz/corpus/" << GetParam().name;
    for (auto const& path : inputs) {
        SCOPED_TRACE(path.string());
        std::ifstream file(path, std::ios::binary);
        std::string const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        // Of exactly the input's size, so that AddressSanitizer sees a step beyond it.
        std::vector<std::byte> const bytes(reinterpret_cast<std::byte const*>(text.data()),
                                           reinterpret_cast<std::byte const*>(text.data()) + text.size());
        GetParam().run(bytes);
        // Ends cut off, too: few inputs, many ways to end too early.
        for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 16) {
            GetParam().run(std::vector<std::byte>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzRegression, testing::ValuesIn(targets), [](auto const& target) {
    std::string name(target.param.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
} // namespace mxk::fuzz
