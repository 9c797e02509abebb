// The tables of real servers, as contributed to the public collection linuxhw/ACPI (CC BY 4.0). They are not part of
// the repository: without them, tests that want them are skipped.
#pragma once

#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {

inline std::filesystem::path server_dumps() {
    return repository_root() / "../shared/acpi-dumps";
}

// The folder whose name begins so; empty if there is none.
inline std::filesystem::path server_dump(std::string_view name) {
    for (auto const& entry : std::filesystem::directory_iterator(server_dumps()))
        if (entry.path().filename().string().starts_with(name)) return entry.path();
    return {};
}

// A parameterised test is named after its server.
inline constexpr auto server_test_name = [](auto const& server) {
    std::string name = server.param.name;
    std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
    return name;
};

} // namespace mxk::acpi_test

#define MXK_SKIP_WITHOUT_SERVER_DUMPS()                                                                                \
    if (!std::filesystem::exists(::mxk::acpi_test::server_dumps()))                                                    \
    GTEST_SKIP() << "no tables of real servers at ../shared/acpi-dumps"
