#include "tasks/remote/remote_function.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/crc32.hpp"
#include "base/panic.hpp"

namespace mxk::remote {
namespace {

std::vector<RemoteFunction const*>& functions() {
    static std::vector<RemoteFunction const*> all;
    return all;
}

std::vector<RemoteFunction const*> by_name() {
    std::vector<RemoteFunction const*> all;
    for (RemoteFunction const* const one : registered_remote_functions()) all.push_back(one);
    std::sort(all.begin(), all.end(), [](auto const* a, auto const* b) { return a->name < b->name; });
    return all;
}

} // namespace

void number_functions() {
    functions() = by_name();
    for (std::size_t i = 0; i < functions().size(); ++i) {
        if (i > 0 && functions()[i]->name == functions()[i - 1]->name)
            panic("expected no two remote functions of one name, got '{}' twice", functions()[i]->name);
        *functions()[i]->number = static_cast<std::uint16_t>(i);
    }
}

RemoteFunction const& function_of(std::uint16_t number) {
    expect(number < functions().size(), "a remote function's number is one of this program's");
    return *functions()[number];
}

std::uint32_t sum_of_functions() {
    std::uint32_t sum = 0;
    for (RemoteFunction const* const one : by_name()) {
        sum = crc32(one->name, sum);
        std::array const sizes{static_cast<char>(one->argument_bytes), static_cast<char>(one->result_bytes)};
        sum = crc32({sizes.data(), sizes.size()}, sum);
    }
    return sum;
}

} // namespace mxk::remote
